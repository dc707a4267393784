package io.feedbridge.gateway.store.feeds;

/** The parts of one document that are followed, each by a topic of its own. */
public final class SelectedParts {

  /** The most of them. */
  public static final int MAX = 200;

  private SelectedParts() {}
}
