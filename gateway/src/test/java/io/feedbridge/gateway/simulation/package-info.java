/** Months of reading in minutes: the real stages, with a clock that is turned and a fake web. */
@NullMarked
package io.feedbridge.gateway.simulation;

import org.jspecify.annotations.NullMarked;
