/**
 * The poll timer: the other producer of work beside intake. Due feeds come in from the store; fetch
 * work goes out.
 */
@NullMarked
package io.feedbridge.gateway.poll;

import org.jspecify.annotations.NullMarked;
