/** Tests, each named after the rule it holds. */
@NullMarked
package io.feedbridge.normalizer;

import org.jspecify.annotations.NullMarked;
