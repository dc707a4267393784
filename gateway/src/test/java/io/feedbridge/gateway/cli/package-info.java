/** Options: how they are given, read and refused. */
@NullMarked
package io.feedbridge.gateway.cli;

import org.jspecify.annotations.NullMarked;
