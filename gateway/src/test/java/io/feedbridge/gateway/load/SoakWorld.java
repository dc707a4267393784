package io.feedbridge.gateway.load;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Feeds that are followed in every way, a hub and a cloud upstream, and subscribers of both
 * protocols at hosts that are always well and at hosts that are not.
 */
final class SoakWorld implements AutoCloseable {

  /** How the gateway hears of a feed's entries. */
  enum Way {
    /** A publisher tells the hub. */
    PUBLISH(25),
    /** A publisher pings by rssCloud. */
    PING(15),
    /** An upstream hub delivers them. */
    FAT(10),
    /** An upstream cloud says that there are some. */
    CLOUD(5),
    /** Nobody says anything. */
    POLL(5);

    private final int feeds;

    Way(int feeds) {
      this.feeds = feeds;
    }
  }

  private static final int STEADY = 10;
  private static final int FAULTY = 10;

  /** Registrations that wait for their answer at once. */
  private static final int AT_ONCE = 100;

  final Judge judge = new Judge();
  final List<Feed> feeds = new ArrayList<>();
  final List<LocalHost> faulty;
  final List<LocalHost> churning;
  private final List<LocalHost> steady;
  private final LocalHosts hosts = new LocalHosts(1, judge);
  private final Origin origin = new Origin();
  private final FakeHub hub = new FakeHub();
  private final FakeCloud cloud = new FakeCloud();

  /** WebSub callbacks that stay to the end. */
  private final List<String> lasting = new ArrayList<>();

  /** rssCloud callbacks at hosts that are always well, and the number of the feed of each. */
  private final List<Notified> notified = new ArrayList<>();

  /** One feed; whoever publishes in it holds its lock. */
  record Feed(int number, Way way, String path, String url) {}

  private record Notified(String callback, int feed) {}

  SoakWorld() {
    steady = hosts.listen(1, STEADY);
    faulty = hosts.listen(2, FAULTY);
    churning = hosts.listen(3, 2);
    for (Way way : Way.values()) {
      for (int i = 0; i < way.feeds; i++) {
        int number = judge.feed();
        String path = "feed-" + number + ".xml";
        feeds.add(new Feed(number, way, path, origin.feed(path, upstream(way))));
      }
    }
  }

  private String upstream(Way way) {
    return switch (way) {
      case FAT -> "<atom:link rel=\"hub\" href=\"" + hub.url() + "\"/>";
      case CLOUD -> cloud.element();
      case PUBLISH, PING, POLL -> "";
    };
  }

  /** Everybody subscribes, and all are confirmed. */
  void subscribe(GatewayProcess gateway) {
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (Feed feed : feeds) {
      steady.forEach(host -> answers.add(webSub(gateway, feed, host, feed.way != Way.POLL)));
      faulty.forEach(host -> answers.add(webSub(gateway, feed, host, false)));
      answers.add(rssCloud(gateway, feed, steady.get(feed.number % STEADY)));
      answers.add(rssCloud(gateway, feed, faulty.get(feed.number % FAULTY)));
      if (answers.size() > AT_ONCE) {
        answers.forEach(SoakWorld::checked);
        answers.clear();
      }
    }
    answers.forEach(SoakWorld::checked);
    await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                gateway.meter("feedbridge_subscriptions_websub") == lasting.size()
                    && gateway.meter("feedbridge_subscriptions_rsscloud") == 2 * feeds.size());
    for (Feed feed : feeds) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  hub.subscribers(feed.url) >= (feed.way == Way.FAT ? 1 : 0)
                      && cloud.registered(feed.url) >= (feed.way == Way.CLOUD ? 1 : 0));
    }
  }

  private static void checked(CompletableFuture<HttpResponse<String>> answer) {
    HttpResponse<String> response = answer.join();
    if (response.statusCode() / 100 != 2 || response.body().contains("success=\"false\"")) {
      throw new AssertionError("refused: " + response.statusCode() + " " + response.body());
    }
  }

  private CompletableFuture<HttpResponse<String>> webSub(
      GatewayProcess gateway, Feed feed, LocalHost host, boolean timed) {
    String callback = host.url("websub-" + feed.number);
    judge.expect(callback, feed.number, timed);
    lasting.add(callback);
    return request(gateway, "subscribe", feed, callback);
  }

  /** Asks the hub to subscribe or unsubscribe a callback. */
  static CompletableFuture<HttpResponse<String>> request(
      GatewayProcess gateway, String mode, Feed feed, String callback) {
    return gateway.formAsync(
        "/hub",
        "hub.mode",
        mode,
        "hub.topic",
        feed.url,
        "hub.callback",
        callback,
        "hub.secret",
        "secret");
  }

  private CompletableFuture<HttpResponse<String>> rssCloud(
      GatewayProcess gateway, Feed feed, LocalHost host) {
    String path = "rsscloud-" + feed.number;
    judge.expect(host.url(path), feed.number, false);
    if (steady.contains(host)) {
      notified.add(new Notified(host.url(path), feed.number));
    }
    return gateway.formAsync(
        "/pleaseNotify",
        "notifyProcedure",
        "",
        "domain",
        host.address(),
        "port",
        Integer.toString(host.port()),
        "path",
        "/" + path,
        "protocol",
        "http-post",
        "url1",
        feed.url);
  }

  /**
   * Publishes an entry.
   *
   * @return whether the gateway acknowledged what it was told
   */
  boolean publish(GatewayProcess gateway, Feed feed) {
    synchronized (feed) {
      byte[] document = origin.publish(feed.path, judge.next(feed.number));
      boolean told =
          switch (feed.way) {
            case PUBLISH ->
                accepted(gateway.form("/hub", "hub.mode", "publish", "hub.url", feed.url));
            case PING -> accepted(gateway.form("/ping", "url", feed.url));
            case FAT ->
                accepted(
                    hub.deliver(
                        feed.url,
                        "application/rss+xml",
                        new String(document, StandardCharsets.UTF_8)));
            case CLOUD -> accepted(cloud.notify(feed.url));
            case POLL -> true;
          };
      if (told) {
        judge.acknowledged(feed.number);
      }
      return told;
    }
  }

  private static boolean accepted(HttpResponse<String> response) {
    return response.statusCode() / 100 == 2 && !response.body().contains("success=\"false\"");
  }

  /** Callbacks of those who stayed that miss something that was acknowledged. */
  List<String> missing() {
    return Stream.concat(
            lasting.stream().filter(one -> judge.missing(one, Long.MIN_VALUE, Long.MAX_VALUE) > 0),
            notified.stream()
                .filter(one -> judge.lastAt(one.callback) < judge.newest(one.feed))
                .map(Notified::callback))
        .toList();
  }

  int subscribers() {
    return lasting.size() + 2 * feeds.size();
  }

  @Override
  public void close() {
    hosts.close();
    origin.close();
    hub.close();
    cloud.close();
  }
}
