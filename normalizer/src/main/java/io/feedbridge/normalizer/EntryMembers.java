package io.feedbridge.normalizer;

import com.fasterxml.jackson.core.filter.TokenFilter;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lets a document of the schema pass with some members of its entries. Immutable. */
final class EntryMembers extends TokenFilter {

  private static final Set<String> ALWAYS = Set.of("id", "removed");

  private final TokenFilter items;

  EntryMembers(Set<String> names) {
    TokenFilter entry =
        new TokenFilter() {
          @Override
          public @Nullable TokenFilter includeProperty(String name) {
            return names.contains(name) || ALWAYS.contains(name) ? INCLUDE_ALL : null;
          }
        };
    items =
        new TokenFilter() {
          @Override
          public TokenFilter includeElement(int index) {
            return entry;
          }

          @Override
          public boolean includeEmptyArray(boolean contentsFiltered) {
            return true;
          }
        };
  }

  @Override
  public TokenFilter includeProperty(String name) {
    return name.equals("items") ? items : INCLUDE_ALL;
  }
}
