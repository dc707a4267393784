@NullMarked
package io.feedbridge.gateway.guard;

import org.jspecify.annotations.NullMarked;
