/**
 * The addresses of bridged feeds: feeds under a URL of the gateway, where they offer push whether
 * or not they do by themselves. Such a URL stands for the feed itself (rule L17).
 */
@NullMarked
package io.feedbridge.gateway.bridge;

import org.jspecify.annotations.NullMarked;
