package io.feedbridge.gateway.demo;

import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.rsscloud.CloudElement;
import io.feedbridge.rsscloud.Ping;
import io.feedbridge.websub.Delivery;
import io.feedbridge.websub.PublishForm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Serves three feeds and, when one has changed, pings the hub or cloud that the feed names. */
final class Publisher implements AutoCloseable {

  private static final String RSS = "application/rss+xml; charset=utf-8";
  private static final String GATEWAY = "Feedbridge/";

  private final LoopbackNet net;
  private final Journal journal;
  private final Clock clock;
  private final SmallHub hub;
  private final SmallCloud cloud;
  private final HttpServer server;
  private final Map<Source, DemoFeed> feeds = new EnumMap<>(Source.class);

  Publisher(LoopbackNet net, Journal journal, Clock clock, SmallHub hub, SmallCloud cloud)
      throws IOException {
    this.net = net;
    this.journal = journal;
    this.clock = clock;
    this.hub = hub;
    this.cloud = cloud;
    Router.Builder routes = Router.builder();
    for (Source source : Source.values()) {
      routes.route("GET", "/" + source.file(), request -> serve(source, request));
    }
    server = net.serve(routes.build());
    for (Source source : Source.values()) {
      String named = source == Source.RSSCLOUD ? xml(cloud.element()) : "";
      DemoFeed feed = new DemoFeed("The feed " + source.file(), url(source), named);
      feed.add("Older than the demo", clock.instant());
      feeds.put(source, feed);
    }
  }

  private static String xml(CloudElement cloud) {
    return "<cloud domain=\"%s\" port=\"%d\" path=\"%s\" registerProcedure=\"%s\" protocol=\"%s\"/>\n"
        .formatted(
            cloud.domain(),
            cloud.port(),
            cloud.path(),
            cloud.registerProcedure(),
            cloud.protocol().wireName());
  }

  /** The base of the feeds' URLs. */
  String url() {
    return LoopbackNet.url(server);
  }

  String url(Source source) {
    return url() + "/" + source.file();
  }

  /** Adds an item to a feed and pings the feed's cloud or hub, if it has one. */
  void publish(Source source, String title) {
    DemoFeed feed = feed(source);
    feed.add(title, clock.instant());
    String what = "new item “%s” in %s; ".formatted(title, url(source));
    switch (source) {
      case RSSCLOUD -> {
        journal.say(Actor.PUBLISHER, what + "pings the cloud");
        tell(Actor.CLOUD, net.postForm(cloud.pingUrl(), new Ping(List.of(url(source))).body()));
      }
      case WEBSUB -> {
        journal.say(Actor.PUBLISHER, what + "pings the hub");
        tell(Actor.HUB, net.postForm(hub.url(), new PublishForm(List.of(url(source))).body()));
      }
      case POLLING -> journal.say(Actor.PUBLISHER, what + "sends no ping");
    }
  }

  private void tell(Actor whom, CompletableFuture<Reply> sent) {
    var unused =
        sent.whenComplete(
            (reply, failure) -> {
              if (failure != null || !reply.successful()) {
                journal.say(Actor.PUBLISHER, "could not reach the " + whom.label());
              }
            });
  }

  private CompletionStage<Response> serve(Source source, Request request) {
    DemoFeed.Version version = feed(source).current();
    if (request.header("If-None-Match").filter(version.etag()::equals).isPresent()) {
      return CompletableFuture.completedFuture(
          Response.empty(304).withHeader("ETag", version.etag()));
    }
    if (request.header("User-Agent").filter(agent -> agent.startsWith(GATEWAY)).isPresent()) {
      journal.say(Actor.PUBLISHER, "← gateway fetches " + source.file());
    }
    byte[] document = version.document().getBytes(StandardCharsets.UTF_8);
    Response response = Response.of(200, RSS, document).withHeader("ETag", version.etag());
    // WebSub §4: a publisher names its hub, and the feed's own URL, in Link headers.
    return CompletableFuture.completedFuture(
        source == Source.WEBSUB
            ? response.withHeader(Delivery.LINK, Delivery.link(hub.url(), url(source)))
            : response);
  }

  private DemoFeed feed(Source source) {
    DemoFeed feed = feeds.get(source);
    if (feed == null) {
      throw new IllegalStateException("asked for a feed before there is one");
    }
    return feed;
  }

  @Override
  public void close() {
    server.close(Duration.ZERO);
  }
}
