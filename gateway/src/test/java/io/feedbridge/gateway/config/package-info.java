/** Options: how they are given, read and refused. */
@NullMarked
package io.feedbridge.gateway.config;

import org.jspecify.annotations.NullMarked;
