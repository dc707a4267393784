/**
 * Documents of events, and the protocol adapters that make requests of them and results of answers.
 * Events come in; delivery results go out. Nothing here writes to the store.
 */
@NullMarked
package io.feedbridge.gateway.delivery.send;

import org.jspecify.annotations.NullMarked;
