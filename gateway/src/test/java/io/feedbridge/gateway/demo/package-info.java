/** The demo, in this process and as the real jar. */
@NullMarked
package io.feedbridge.gateway.demo;

import org.jspecify.annotations.NullMarked;
