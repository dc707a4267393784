/**
 * Measured values, their medians and their goals. In: values of rounds. Out: figures of a report.
 */
@NullMarked
package io.feedbridge.gateway.bench.figures;

import org.jspecify.annotations.NullMarked;
