/** Tests of lists. */
@NullMarked
package io.feedbridge.gateway.opml;

import org.jspecify.annotations.NullMarked;
