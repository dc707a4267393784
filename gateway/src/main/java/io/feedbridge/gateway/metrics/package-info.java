/** The meters for operators: one class names every meter. No URL ever becomes a label. */
@NullMarked
package io.feedbridge.gateway.metrics;

import org.jspecify.annotations.NullMarked;
