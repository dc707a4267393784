/** The command line: options, their sources, and the messages for wrong options. */
@NullMarked
package io.feedbridge.gateway.cli;

import org.jspecify.annotations.NullMarked;
