/**
 * What the gateway did lately, told to whoever debugs a client of it: the last of each kind of
 * thing, in memory.
 */
@NullMarked
package io.feedbridge.gateway.activity;

import org.jspecify.annotations.NullMarked;
