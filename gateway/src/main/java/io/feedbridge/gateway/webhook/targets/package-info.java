/**
 * The forms of a webhook's messages: the gateway's own, CloudEvents, templates, chats and phones.
 */
@org.jspecify.annotations.NullMarked
package io.feedbridge.gateway.webhook.targets;
