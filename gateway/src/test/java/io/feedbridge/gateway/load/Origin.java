package io.feedbridge.gateway.load;

import io.feedbridge.gateway.load.LocalHosts.Answer;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.netty.handler.codec.http.FullHttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** An origin whose feeds keep their newest entries, and which keeps nothing of its visitors. */
final class Origin implements AutoCloseable {

  /** Entries of a document; more than come to be between a ping and the fetch for it. */
  private static final int KEPT = 40;

  private final Map<String, Feed> feeds = new ConcurrentHashMap<>();
  private final Consumer<String> onFetch;
  private final LocalHosts hosts;
  private final LocalHost host;

  Origin() {
    this(path -> {});
  }

  /**
   * An origin that tells of its visitors.
   *
   * @param onFetch is told the path of each request, on an event loop
   */
  Origin(Consumer<String> onFetch) {
    this.onFetch = onFetch;
    hosts = new LocalHosts(1, this::serve);
    host = hosts.listen("127.0.0.1");
  }

  private static final class Feed {
    private final String channelElements;
    private final Deque<String> entries = new ArrayDeque<>();
    private volatile byte[] document;

    Feed(String channelElements) {
      this.channelElements = channelElements;
      document = render();
    }

    synchronized byte[] add(String entry) {
      entries.addFirst(entry);
      if (entries.size() > KEPT) {
        entries.removeLast();
      }
      document = render();
      return document;
    }

    private byte[] render() {
      return FakeOrigin.rssOf(channelElements, entries.toArray(String[]::new))
          .getBytes(StandardCharsets.UTF_8);
    }
  }

  /** A new feed without entries; says its URL. */
  String feed(String path, String channelElements) {
    feeds.put(path, new Feed(channelElements));
    return url(path);
  }

  String feed(String path) {
    return feed(path, "");
  }

  String url(String path) {
    return host.url(path);
  }

  /** Publishes an entry in a feed; says what the document is now. */
  byte[] publish(String path, String entry) {
    Feed feed = feeds.get(path);
    if (feed == null) {
      throw new IllegalArgumentException("there is no feed " + path);
    }
    return feed.add(entry);
  }

  private Answer serve(LocalHost at, FullHttpRequest request) {
    String path = request.uri().substring(1);
    onFetch.accept(path);
    Feed feed = feeds.get(path);
    return feed == null
        ? Answer.status(404)
        : new Answer(200, "application/rss+xml", feed.document);
  }

  @Override
  public void close() {
    hosts.close();
  }
}
