/**
 * The messages of WebSub and PubSubHubbub (0.3, 0.4) as values: parsed, written, signed and
 * verified, for hub, subscriber and publisher.
 *
 * <p>Forms and queries come in decoded, as maps that keep the order of the values; what is to be
 * sent goes out as a string. Every type is immutable or stateless and so safe to share between
 * threads. Names of parameters are those of the W3C Recommendation of 23 January 2018.
 */
@NullMarked
package io.feedbridge.websub;

import org.jspecify.annotations.NullMarked;
