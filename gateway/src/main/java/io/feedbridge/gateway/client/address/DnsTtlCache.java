package io.feedbridge.gateway.client.address;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.resolver.dns.DnsCache;
import io.netty.resolver.dns.DnsCacheEntry;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Addresses by host name, each answer kept for the shortest time to live among its records, within
 * bounds, so that neither a zero nor a year in a record does harm. That a name does not exist is
 * remembered briefly. Thread-safe.
 */
final class DnsTtlCache implements DnsCache {
  static final Duration MIN_TTL = Duration.ofSeconds(1);
  static final Duration MAX_TTL = Duration.ofHours(1);
  static final Duration NEGATIVE_TTL = Duration.ofSeconds(10);

  /** More addresses than any honest answer has; further addresses are not cached. */
  static final int MAX_ADDRESSES = 64;

  private final Cache<String, Answer> answers;

  DnsTtlCache(int maxNames, Ticker ticker) {
    answers =
        Caffeine.newBuilder()
            .maximumSize(maxNames)
            .ticker(ticker)
            .expireAfter(Expiry.<String, Answer>writing((name, answer) -> answer.ttl()))
            .build();
  }

  @Override
  public void clear() {
    answers.invalidateAll();
  }

  @Override
  public boolean clear(String hostname) {
    return answers.asMap().remove(key(hostname)) != null;
  }

  @Override
  public @Nullable List<? extends DnsCacheEntry> get(
      String hostname, DnsRecord @Nullable [] additionals) {
    Answer answer = isPlain(additionals) ? answers.getIfPresent(key(hostname)) : null;
    return answer == null ? null : answer.entries();
  }

  @Override
  public DnsCacheEntry cache(
      String hostname,
      DnsRecord[] additionals,
      InetAddress address,
      long originalTtl,
      EventLoop loop) {
    Entry entry = new Entry(address, null);
    if (isPlain(additionals)) {
      Duration ttl = clamped(originalTtl);
      answers.asMap().merge(key(hostname), new Answer(List.of(entry), ttl), Answer::and);
    }
    return entry;
  }

  @Override
  public DnsCacheEntry cache(
      String hostname, DnsRecord @Nullable [] additionals, Throwable cause, EventLoop loop) {
    Entry entry = new Entry(null, cause);
    if (isPlain(additionals)) {
      answers.asMap().putIfAbsent(key(hostname), new Answer(List.of(entry), NEGATIVE_TTL));
    }
    return entry;
  }

  /**
   * Whether nothing was added to the query that might make its answer special; Netty passes null
   * for nothing too.
   */
  private static boolean isPlain(DnsRecord @Nullable [] additionals) {
    return additionals == null || additionals.length == 0;
  }

  private static Duration clamped(long ttlSeconds) {
    return Duration.ofSeconds(
        Math.max(MIN_TTL.toSeconds(), Math.min(MAX_TTL.toSeconds(), ttlSeconds)));
  }

  private static String key(String hostname) {
    String name = hostname.toLowerCase(Locale.ROOT);
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  private record Entry(@Nullable InetAddress address, @Nullable Throwable cause)
      implements DnsCacheEntry {}

  /** The records of one answer come one by one, within moments of each other. */
  private record Answer(List<Entry> entries, Duration ttl) {

    Answer and(Answer next) {
      Entry added = next.entries.get(0);
      if (entries.get(0).cause() != null) {
        return next;
      }
      List<Entry> all = new ArrayList<>(entries);
      all.removeIf(entry -> added.address() != null && added.address().equals(entry.address()));
      if (all.size() < MAX_ADDRESSES) {
        all.add(added);
      }
      return new Answer(List.copyOf(all), ttl.compareTo(next.ttl) <= 0 ? ttl : next.ttl);
    }
  }
}
