/** The receiver that the jar has. */
@NullMarked
package io.feedbridge.gateway.cli.receive;

import org.jspecify.annotations.NullMarked;
