package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/**
 * The items inside items of rssCloud's {@code rssCloud:item}, for which no namespace was ever
 * fixed: any child of an item that is called item. Each becomes an entry of its own, after its
 * parent, which it names by a link.
 */
final class NestedItems {
  private static final String UP = "up";

  /** The entries of items that have items inside. */
  private final IdentityHashMap<Element, Entry> parents = new IdentityHashMap<>();

  /** The items and all items inside them, in document order. */
  static List<Element> flattened(List<Element> items) {
    List<Element> all = new ArrayList<>(items.size());
    items.forEach(item -> flatten(item, all));
    return all;
  }

  private static void flatten(Element item, List<Element> into) {
    into.add(item);
    for (Element child : item.getChildren()) {
      if (isItem(child)) {
        if (Vocabulary.of(child) == Vocabulary.OTHER) {
          // Its own fields are in its own namespace, or in none
          Vocabulary.RSS.adopt(child);
        }
        flatten(child, into);
      }
    }
  }

  private static boolean isItem(Element element) {
    return element.getName().equals("item");
  }

  /** The entry of {@code item}, which leads to that of the item around it, if there is one. */
  Entry linked(Element item, Entry entry) {
    Element around = item.getParentElement();
    Entry parent = around == null ? null : parents.get(around);
    Entry linked = parent == null ? entry : entry.withLink(Link.of(UP, address(parent), null));
    if (item.getChildren().stream().anyMatch(NestedItems::isItem)) {
      parents.put(item, linked);
    }
    return linked;
  }

  /** A parent has its link or its id; one without a link may have got no id yet. */
  private static String address(Entry parent) {
    @Nullable String page = parent.permalink();
    if (page != null) {
      return page;
    }
    return parent.id().isEmpty() ? EntryIds.generate(parent, Map.of()) : parent.id();
  }
}
