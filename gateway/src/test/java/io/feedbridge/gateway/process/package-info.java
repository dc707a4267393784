/** The promises that only a real process can be held to: kill -9, signals, two on one folder. */
@NullMarked
package io.feedbridge.gateway.process;

import org.jspecify.annotations.NullMarked;
