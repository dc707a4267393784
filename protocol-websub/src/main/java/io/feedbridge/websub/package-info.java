/**
 * The messages of WebSub and PubSubHubbub (0.3, 0.4) as values: parsed, written, signed and
 * verified, for hub, subscriber and publisher.
 *
 * <p>Forms and queries come in decoded, as maps that keep the order of the values; a message to
 * send goes out as a string. Every type is immutable or stateless and so safe to share between
 * threads. The names of parameters are the names in the W3C Recommendation of 23 January 2018.
 */
@NullMarked
package io.feedbridge.websub;

import org.jspecify.annotations.NullMarked;
