/**
 * Finds the hubs and the canonical URL of a topic (WebSub §4), and the feeds of a page, in a
 * fetched document. Every function is pure, bounded in its work, and gives an answer for any input.
 */
@NullMarked
package io.feedbridge.websub.discovery;

import org.jspecify.annotations.NullMarked;
