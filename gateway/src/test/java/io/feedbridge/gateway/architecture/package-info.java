/** The rules of the house, held by tests: directions, purity, names. */
@NullMarked
package io.feedbridge.gateway.architecture;

import org.jspecify.annotations.NullMarked;
