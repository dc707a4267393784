/** The manual and the messages: links that lead somewhere, and plain words. */
@NullMarked
package io.feedbridge.gateway.manual;

import org.jspecify.annotations.NullMarked;
