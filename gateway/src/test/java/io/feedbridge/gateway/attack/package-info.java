/**
 * Attacks by strangers on the real jar. Each attack is measured beside the same load without it:
 * the delay of a well-behaved feed, refused requests of others, heap and store stay within their
 * bounds. The classes are named {@code …Attack} and run with {@code mvn -Drun='*Attack' verify}.
 */
@NullMarked
package io.feedbridge.gateway.attack;

import org.jspecify.annotations.NullMarked;
