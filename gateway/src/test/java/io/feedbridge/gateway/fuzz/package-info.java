/**
 * Made-up feeds, headers, redirects and deliveries on the whole way from intake to delivery. The
 * long run is {@code mvn -Drun=IntakeFuzz verify}, for {@code -Dfuzz.minutes=10}; not part of it is
 * a short run with a fixed seed.
 */
@NullMarked
package io.feedbridge.gateway.fuzz;

import org.jspecify.annotations.NullMarked;
