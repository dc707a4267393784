/** What an operator can set, as values that are already checked. */
@NullMarked
package io.feedbridge.gateway.config;

import org.jspecify.annotations.NullMarked;
