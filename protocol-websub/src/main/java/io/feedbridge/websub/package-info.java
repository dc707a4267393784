/** The messages of WebSub and PubSubHubbub as values: parsed, written, signed and verified. */
@NullMarked
package io.feedbridge.websub;

import org.jspecify.annotations.NullMarked;
