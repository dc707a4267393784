package io.feedbridge.gateway.config;

import java.util.ArrayList;
import java.util.List;

/** What is wrong with a set of options: collected, so that a user is told everything at once. */
public final class Problems {

  private final List<String> found = new ArrayList<>();

  /**
   * Notes that an option is wrong.
   *
   * @param option by its flag
   * @param what is wrong, and what would be right
   */
  public void add(String option, String what) {
    found.add(option + ": " + what);
  }

  /** The problems in the order in which they were found, a line each. */
  public List<String> found() {
    return List.copyOf(found);
  }

  /** Whether there are none. */
  public boolean none() {
    return found.isEmpty();
  }
}
