/** The part of the command line that talks to a running gateway over HTTP. */
@NullMarked
package io.feedbridge.gateway.cli.remote;

import org.jspecify.annotations.NullMarked;
