/** The files of {@code deploy/}, run by the programs that they are for. */
@NullMarked
package io.feedbridge.gateway.deploy;

import org.jspecify.annotations.NullMarked;
