/** Feeds of any format as one model, and that model written in the Superfeedr schema. */
@NullMarked
package io.feedbridge.normalizer;

import org.jspecify.annotations.NullMarked;
