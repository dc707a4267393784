/** Sample feeds, addresses, secrets and stores that the scenarios of the benchmark use. */
@NullMarked
package io.feedbridge.gateway.bench.data;

import org.jspecify.annotations.NullMarked;
