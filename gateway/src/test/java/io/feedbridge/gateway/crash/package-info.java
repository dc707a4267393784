/**
 * The crash harness: the real jar is killed again and again while publishers publish and
 * subscribers of every kind and temper subscribe, take, refuse and stall; then a judge says, from
 * the journal alone, whether a promise was broken. Mutants of the gateway show that it would see
 * it.
 */
@NullMarked
package io.feedbridge.gateway.crash;

import org.jspecify.annotations.NullMarked;
