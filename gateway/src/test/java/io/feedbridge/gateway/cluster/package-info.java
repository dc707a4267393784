@NullMarked
package io.feedbridge.gateway.cluster;

import org.jspecify.annotations.NullMarked;
