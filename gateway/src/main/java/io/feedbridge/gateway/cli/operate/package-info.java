/**
 * The commands that look at a running gateway and change it: lists, deliveries, tokens. They go
 * through the API, and print tables for people or JSON for scripts.
 */
@NullMarked
package io.feedbridge.gateway.cli.operate;

import org.jspecify.annotations.NullMarked;
