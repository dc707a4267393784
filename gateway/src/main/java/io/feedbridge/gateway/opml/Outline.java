package io.feedbridge.gateway.opml;

/**
 * A feed in a list.
 *
 * @param url as the list has it
 * @param title empty if it has none
 */
public record Outline(String url, String title) {}
