package io.feedbridge.gateway.config;

import java.util.ArrayList;
import java.util.List;

/** The problems of a set of options: collected, so that a user is told all of them at once. */
public final class Problems {

  private final List<String> found = new ArrayList<>();

  /**
   * Notes that an option is wrong.
   *
   * @param option by its flag
   * @param fault the fault and its remedy
   */
  public void add(String option, String fault) {
    found.add(option + ": " + fault);
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
