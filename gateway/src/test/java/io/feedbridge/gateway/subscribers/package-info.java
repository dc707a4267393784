/**
 * Tests of the stage: its rules, over real sockets, with the real store and a clock turned by hand.
 */
@NullMarked
package io.feedbridge.gateway.subscribers;

import org.jspecify.annotations.NullMarked;
