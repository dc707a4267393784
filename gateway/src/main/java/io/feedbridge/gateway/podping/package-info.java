/** Pings of Podping, which publishers of podcasts write to the blockchain Hive. */
@NullMarked
package io.feedbridge.gateway.podping;

import org.jspecify.annotations.NullMarked;
