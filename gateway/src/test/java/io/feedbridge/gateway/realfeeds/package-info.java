/** Feed files as they are found in the wild, followed over real sockets. */
@NullMarked
package io.feedbridge.gateway.realfeeds;

import org.jspecify.annotations.NullMarked;
