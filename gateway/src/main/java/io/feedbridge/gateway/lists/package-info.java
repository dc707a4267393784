/** Lists of feeds that live: a subscriber of a list follows the feeds that stand in it now. */
@NullMarked
package io.feedbridge.gateway.lists;

import org.jspecify.annotations.NullMarked;
