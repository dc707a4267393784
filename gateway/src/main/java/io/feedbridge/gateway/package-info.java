/** The composition root: the one place where everything is made, wired, started and stopped. */
@NullMarked
package io.feedbridge.gateway;

import org.jspecify.annotations.NullMarked;
