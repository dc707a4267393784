package io.feedbridge.gateway.store.subscriptions;

import java.util.Set;

/**
 * Active subscriptions that a commit has changed or ended. Values that were read of them before the
 * commit are outdated.
 *
 * @param ids the ids of the subscriptions; empty where {@code any} is set
 * @param any whether any subscription may have changed, because there were too many to name
 */
public record ChangedSubscriptions(Set<Long> ids, boolean any) {

  public ChangedSubscriptions {
    ids = Set.copyOf(ids);
  }
}
