/** The options of the gateway on the command line, in the environment and in files. */
@NullMarked
package io.feedbridge.gateway.cli.options;

import org.jspecify.annotations.NullMarked;
