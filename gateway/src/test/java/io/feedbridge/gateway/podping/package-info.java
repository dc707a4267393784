@NullMarked
package io.feedbridge.gateway.podping;

import org.jspecify.annotations.NullMarked;
