/**
 * The parts of a benchmark that run in processes of their own: origins, sinks, pingers, and the
 * bare references.
 */
@NullMarked
package io.feedbridge.gateway.bench.parts;

import org.jspecify.annotations.NullMarked;
