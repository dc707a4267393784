package io.feedbridge.gateway.load;

import io.feedbridge.gateway.load.LocalHosts.Answer;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.FullHttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Subscribers who missed the same number of entries each: one of each feed at each host. They take
 * what they are sent and judge it.
 */
final class Backlog implements LocalHosts.Handler {

  /** What each missed, one event each. */
  static final int MISSED = 3;

  private static final byte[] ENTRY = ">entry-".getBytes(StandardCharsets.US_ASCII);

  private final int feeds;
  private final Map<LocalHost, byte[]> had = new ConcurrentHashMap<>();
  private final AtomicInteger served = new AtomicInteger();
  private final AtomicInteger doubled = new AtomicInteger();
  private final AtomicInteger wrong = new AtomicInteger();

  Backlog(int feeds) {
    this.feeds = feeds;
  }

  /** Has everyone subscribe and miss something. */
  void prepare(PreparedStore store, List<LocalHost> hosts, String topicBase) {
    hosts.forEach(host -> had.put(host, new byte[feeds]));
    List<FollowedFeed> followed =
        store.feeds(IntStream.range(0, feeds).mapToObj(i -> topicBase + i).toList());
    for (int feed = 0; feed < feeds; feed++) {
      for (LocalHost host : hosts) {
        store.subscribe(followed.get(feed), host.url(Integer.toString(feed)));
      }
    }
    store.flush();
    store.missed(
        followed,
        feed -> {
          String number = feed.topic().substring(topicBase.length());
          return IntStream.range(0, MISSED).mapToObj(i -> "entry-" + number + "-" + i).toList();
        });
  }

  int subscribers() {
    return had.size() * feeds;
  }

  /** Who has all they missed. */
  int served() {
    return served.get();
  }

  /** Entries that arrived more than once. */
  int doubled() {
    return doubled.get();
  }

  /** Entries that arrived out of order, or at somebody else's. */
  int wrong() {
    return wrong.get();
  }

  @Override
  public Answer handle(LocalHost host, FullHttpRequest request) {
    byte[] counts = had.get(host);
    if (counts == null) {
      wrong.incrementAndGet();
      return Answer.TAKEN;
    }
    int feed = Integer.parseInt(request.uri().substring(1));
    ByteBuf body = request.content();
    String mine = feed + "-";
    synchronized (counts) {
      for (int at = next(body, 0); at >= 0; at = next(body, at)) {
        take(counts, feed, number(body, at, mine));
      }
    }
    return Answer.TAKEN;
  }

  private void take(byte[] counts, int feed, int number) {
    if (number >= 0 && number < counts[feed]) {
      doubled.incrementAndGet();
    } else if (number != counts[feed]) {
      wrong.incrementAndGet();
    } else if (++counts[feed] == MISSED) {
      served.incrementAndGet();
    }
  }

  /** Behind the next mark of an entry, or -1. */
  private static int next(ByteBuf body, int from) {
    for (int i = from; i <= body.writerIndex() - ENTRY.length; i++) {
      int matched = 0;
      while (matched < ENTRY.length && body.getByte(i + matched) == ENTRY[matched]) {
        matched++;
      }
      if (matched == ENTRY.length) {
        return i + matched;
      }
    }
    return -1;
  }

  /** The entry's number in its feed, which is one digit; -1 if it is of another feed. */
  private static int number(ByteBuf body, int at, String feed) {
    for (int i = 0; i < feed.length(); i++) {
      if (body.getByte(at + i) != feed.charAt(i)) {
        return -1;
      }
    }
    return body.getByte(at + feed.length()) - '0';
  }
}
