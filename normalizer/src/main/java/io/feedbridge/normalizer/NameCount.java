package io.feedbridge.normalizer;

import java.util.HashSet;
import java.util.Set;

/** Counts the different names of one document. Not thread-safe. */
final class NameCount {
  private static final int RECENT = 256;

  /** A name seen lately is found here without a look at the set. */
  private final String[] recent = new String[RECENT];

  private final Set<String> names = new HashSet<>();

  /** Takes a name; false once there are more than {@link Limits#MAX_NAMES} different ones. */
  boolean admits(String name) {
    int slot = name.hashCode() & (RECENT - 1);
    return name.equals(recent[slot]) || isWithin(slot, name);
  }

  /** Takes the name that stands at this place of a text. */
  boolean admits(String text, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    int slot = hash & (RECENT - 1);
    String known = recent[slot];
    return (known != null && known.length() == to - from && text.startsWith(known, from))
        || isWithin(slot, text.substring(from, to));
  }

  private boolean isWithin(int slot, String name) {
    recent[slot] = name;
    names.add(name);
    return names.size() <= Limits.MAX_NAMES;
  }
}
