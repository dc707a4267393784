package io.feedbridge.gateway.client.address;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * Hosts and ports that were read lately: thousands of callbacks share the same few hosts, and
 * reading one strictly takes longer than sending to it. Text that is no host is read anew each
 * time. Thread-safe.
 */
public final class KnownAuthorities implements Target.Authorities {

  private static final int MOST = 10_000;

  private final Cache<Key, Target.Authority> known =
      Caffeine.newBuilder().maximumSize(MOST).executor(Runnable::run).build();

  private record Key(boolean secure, String authority) {}

  @Override
  public Target.Authority of(boolean secure, String authority) throws CallException {
    Key key = new Key(secure, authority);
    Target.@Nullable Authority found = known.getIfPresent(key);
    if (found == null) {
      found = Target.authority(secure, authority);
      known.put(key, found);
    }
    return found;
  }
}
