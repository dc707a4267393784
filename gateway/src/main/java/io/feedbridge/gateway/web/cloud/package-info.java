/**
 * The gateway as an rssCloud cloud, the callbacks of its own subscriptions upstream, and the weblog
 * ping lists.
 */
@NullMarked
package io.feedbridge.gateway.web.cloud;

import org.jspecify.annotations.NullMarked;
