/**
 * What only shows under load: that nobody is held up by others, that a backlog of any size is
 * drained in bounded memory, that nothing leaks. They look at the jar from outside: over HTTP, at
 * {@code /metrics}, and at what Linux says of the process.
 */
@NullMarked
package io.feedbridge.gateway.load;

import org.jspecify.annotations.NullMarked;
