/** Lists of feeds as OPML, read and written. */
@NullMarked
package io.feedbridge.gateway.opml;

import org.jspecify.annotations.NullMarked;
