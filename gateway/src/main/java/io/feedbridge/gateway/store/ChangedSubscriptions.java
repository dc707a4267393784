package io.feedbridge.gateway.store;

import java.util.Set;

/**
 * Active subscriptions that a commit has changed or ended: what was read of them before is old.
 *
 * @param ids those; empty where it may be any
 * @param any whether it may be any, because it were too many to name
 */
public record ChangedSubscriptions(Set<Long> ids, boolean any) {

  public ChangedSubscriptions {
    ids = Set.copyOf(ids);
  }
}
