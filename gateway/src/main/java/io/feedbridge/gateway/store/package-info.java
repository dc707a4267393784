/**
 * The values that the stages exchange with the store, and the interfaces of the parts that a test
 * replaces. The other parts are the classes in {@code store.sql} and below.
 *
 * <p>Writes return a future that completes once they are on disk; reads block and must not run on
 * an event loop.
 */
@NullMarked
package io.feedbridge.gateway.store;

import org.jspecify.annotations.NullMarked;
