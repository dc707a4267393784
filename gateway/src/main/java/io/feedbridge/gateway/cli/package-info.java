/** The command line: options, their sources, and what a user sees when they are wrong. */
@NullMarked
package io.feedbridge.gateway.cli;

import org.jspecify.annotations.NullMarked;
