/**
 * The gateway's recent activity, for developers that debug a client of it: the newest entries of
 * each kind, in memory.
 */
@NullMarked
package io.feedbridge.gateway.activity;

import org.jspecify.annotations.NullMarked;
