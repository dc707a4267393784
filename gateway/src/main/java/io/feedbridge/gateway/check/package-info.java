/**
 * The check of a publisher's feed: is it connected? A URL comes in; a result with one line for each
 * finding goes out. A check follows nothing: its subscriptions are its own, and end with it.
 */
@NullMarked
package io.feedbridge.gateway.check;

import org.jspecify.annotations.NullMarked;
