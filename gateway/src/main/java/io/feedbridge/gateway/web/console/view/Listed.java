package io.feedbridge.gateway.web.console.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of one of the API's lists.
 *
 * @param nextCursor where the next part begins; absent after the last
 * @param total items on all pages; absent where the list was not asked for it
 */
public record Listed<T>(List<T> items, @Nullable String nextCursor, @Nullable Long total) {}
