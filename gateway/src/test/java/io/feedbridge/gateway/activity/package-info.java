/** Tests of the log of what the gateway did lately. */
@NullMarked
package io.feedbridge.gateway.activity;

import org.jspecify.annotations.NullMarked;
