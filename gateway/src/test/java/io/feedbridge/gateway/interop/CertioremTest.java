package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.rometools.certiorem.hub.DeltaFeedInfoCache;
import com.rometools.certiorem.hub.Hub;
import com.rometools.certiorem.hub.data.ram.InMemoryHubDAO;
import com.rometools.certiorem.hub.notify.standard.UnthreadedNotifier;
import com.rometools.certiorem.hub.verify.standard.UnthreadedVerifier;
import com.rometools.certiorem.pub.Publisher;
import com.rometools.certiorem.sub.Subscriptions;
import com.rometools.certiorem.sub.data.Subscription;
import com.rometools.certiorem.sub.data.SubscriptionCallback;
import com.rometools.certiorem.sub.data.ram.InMemorySubDAO;
import com.rometools.certiorem.sub.request.SyncRequester;
import com.rometools.fetcher.impl.HashMapFeedInfoCache;
import com.rometools.fetcher.impl.HttpURLFeedFetcher;
import com.rometools.fetcher.impl.SyndFeedInfo;
import com.rometools.rome.feed.module.DCModule;
import com.rometools.rome.feed.synd.SyndEntry;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StubServer;
import io.feedbridge.gateway.testing.World;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * ROME Certiorem, of PubSubHubbub 0.3: as a subscriber and a publisher of the hub, and as a hub.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("deprecation") // its authors want nobody new to use it
class CertioremTest {

  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  /** A server that does what the library's servlets do. */
  private static StubServer serving(Function<Request, Response> servlet) {
    return StubServer.serving(request -> answer(servlet, request));
  }

  private static CompletionStage<Response> answer(
      Function<Request, Response> servlet, Request request) {
    return CompletableFuture.supplyAsync(() -> servlet.apply(request));
  }

  private static @Nullable String value(Map<String, List<String>> form, String name) {
    List<String> values = form.get(name);
    return values == null ? null : values.get(0);
  }

  /** What is told to the library's user. */
  private static final class Notified implements SubscriptionCallback {
    final List<String> told = new CopyOnWriteArrayList<>();

    @Override
    public void onNotify(Subscription subscription, SyndFeedInfo feed) {
      told.addAll(feed.getSyndFeed().getEntries().stream().map(CertioremTest::sourceId).toList());
    }

    @Override
    public void onFailure(Exception e) {
      told.add("failed: " + e);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      told.add("subscribed");
    }

    @Override
    public void onUnsubscribe(Subscription subscription) {
      told.add("unsubscribed");
    }
  }

  /** The id that the source gave, which is no IRI: it stands beside the id of Atom. */
  private static String sourceId(SyndEntry entry) {
    assertThat(entry.getUri()).startsWith("urn:feedbridge:id:");
    return ((DCModule) entry.getModule(DCModule.URI)).getIdentifier();
  }

  private static Response subscriber(Subscriptions subscriptions, String base, Request request) {
    String callback = base + request.path();
    if (request.method().equals("GET")) {
      return Response.text(
          200,
          subscriptions.validate(
              callback,
              value(request.query(), "hub.topic"),
              value(request.query(), "hub.mode"),
              value(request.query(), "hub.challenge"),
              value(request.query(), "hub.lease_seconds"),
              value(request.query(), "hub.verify_token")));
    }
    subscriptions.callback(callback, request.body());
    return Response.empty(200);
  }

  @Test
  void its_subscriber_is_verified_and_notified_of_what_its_publisher_pings_and_can_leave()
      throws Exception {
    String topic = world.origin().rss("a.xml", "");
    Subscriptions subscriptions = new Subscriptions();
    subscriptions.setCache(new HashMapFeedInfoCache());
    subscriptions.setRequester(new SyncRequester());
    InMemorySubDAO known = new InMemorySubDAO();
    subscriptions.setDao(known);
    String[] base = {""};
    try (StubServer server = serving(request -> subscriber(subscriptions, base[0], request))) {
      base[0] = server.url();
      subscriptions.setCallbackPrefix(server.url() + "/");
      Notified notified = new Notified();
      String hub = world.gateway().url("/hub");

      // Returns once the hub has verified it: hub.verify=sync.
      subscriptions.subscribe(hub, topic, true, 86_400, "a secret", notified);

      assertThat(notified.told).containsExactly("subscribed");
      String rows = "subscription WHERE callback LIKE '" + server.url() + "%'";
      assertThat(world.gateway().rows().query("SELECT lease_ends_at - created_at FROM " + rows))
          .containsExactly("86400000");

      world.origin().rss("a.xml", "", "two", "one");
      new Publisher().sendUpdateNotification(hub, topic);

      World.until(() -> notified.told.size() == 3);
      assertThat(notified.told).containsExactlyInAnyOrder("subscribed", "one", "two");

      String callback = world.gateway().rows().query("SELECT callback FROM " + rows).get(0);
      Subscription own = known.findById(callback.substring(callback.lastIndexOf('/') + 1));
      subscriptions.unsubscribe(own, hub, true, "a secret", notified);

      assertThat(notified.told).endsWith("unsubscribed");
      assertThat(world.gateway().rows().count(rows)).isZero();
    }
  }

  /** It refuses a document whose self link is not the URL that it subscribed to. */
  @Test
  void its_subscriber_takes_the_push_of_a_bridged_feed_whose_own_document_names_another_self()
      throws Exception {
    String elsewhere = "<atom:link rel=\"self\" href=\"http://elsewhere.example/feed\"/>";
    String topic = world.origin().rss("c.xml", elsewhere, "one");
    String bridged = world.gateway().url("/feed.atom?" + Http.encode("url", topic));
    Subscriptions subscriptions = new Subscriptions();
    subscriptions.setCache(new HashMapFeedInfoCache());
    subscriptions.setRequester(new SyncRequester());
    subscriptions.setDao(new InMemorySubDAO());
    String[] base = {""};
    try (StubServer server = serving(request -> subscriber(subscriptions, base[0], request))) {
      base[0] = server.url();
      subscriptions.setCallbackPrefix(server.url() + "/");
      Notified notified = new Notified();
      String hub = world.gateway().url("/hub");
      subscriptions.subscribe(hub, bridged, true, 86_400, null, notified);
      assertThat(notified.told).containsExactly("subscribed");

      world.origin().rss("c.xml", elsewhere, "two", "one");
      new Publisher().sendUpdateNotification(hub, bridged);

      World.until(() -> notified.told.size() == 2);
      assertThat(notified.told).containsExactly("subscribed", "two");
    }
  }

  private static Response hub(Hub hub, Request request) {
    Map<String, List<String>> form = request.form();
    if ("publish".equals(value(form, "hub.mode"))) {
      hub.sendNotification("127.0.0.1", value(form, "hub.url"));
      return Response.noContent();
    }
    String verify = form.getOrDefault("hub.verify", List.of()).contains("async") ? "async" : "sync";
    Boolean done =
        "subscribe".equals(value(form, "hub.mode"))
            ? hub.subscribe(
                value(form, "hub.callback"),
                value(form, "hub.topic"),
                verify,
                Long.parseLong(Http.first(form, "hub.lease_seconds")),
                value(form, "hub.secret"),
                value(form, "hub.verify_token"))
            : hub.unsubscribe(
                value(form, "hub.callback"),
                value(form, "hub.topic"),
                verify,
                value(form, "hub.secret"),
                value(form, "hub.verify_token"));
    return Response.empty(done == null ? 202 : 204);
  }

  @Test
  void its_hub_which_never_signs_is_followed_through_with_no_secret_in_the_end() throws Exception {
    DeltaFeedInfoCache cache = new DeltaFeedInfoCache(new HashMapFeedInfoCache());
    Hub certiorem =
        new Hub(
            new InMemoryHubDAO(),
            new UnthreadedVerifier(),
            new UnthreadedNotifier(),
            new HttpURLFeedFetcher(cache));
    List<Map<String, List<String>>> subscriptions = new CopyOnWriteArrayList<>();
    try (StubServer server =
        serving(
            request -> {
              Response response = hub(certiorem, request);
              if (Http.first(request.form(), "hub.mode").equals("subscribe")) {
                subscriptions.add(request.form());
              }
              return response;
            })) {
      String url = server.url() + "/hub";
      String link = "<atom:link rel=\"hub\" href=\"" + url + "\"/>";
      String topic = world.origin().rss("b.xml", link, "one");
      world.subscribe(topic, "reader");
      // It keeps a subscription only after it has verified it, when that is active here already.
      World.until(() -> subscriptions.size() == 1);
      assertThat(subscriptions.get(0)).containsKey("hub.secret");
      assertThat(world.gateway().rows().count("following WHERE state = 'ACTIVE'")).isEqualTo(1);

      Publisher publisher = new Publisher();
      for (int i = 2; i <= 4; i++) {
        world.origin().rss("b.xml", link, entries(i));
        publisher.sendUpdateNotification(url, topic);
        int delivered = i - 1;
        World.until(() -> world.subscriber().received("reader").size() == delivered);
      }
      World.until(() -> subscriptions.size() == 2);
      assertThat(subscriptions.get(1)).doesNotContainKey("hub.secret");
      World.until(() -> world.gateway().rows().count("following WHERE state = 'ACTIVE'") == 1);

      world.origin().rss("b.xml", link, entries(5));
      publisher.sendUpdateNotification(url, topic);

      World.until(() -> world.subscriber().received("reader").size() == 4);
      assertThat(world.subscriber().bodies("reader").get(3)).contains(">entry5</dc:identifier>");
      assertThat(world.gateway().rows().query("SELECT state FROM following"))
          .containsExactly("ACTIVE");
    }
  }

  /** The newest first. */
  private static String[] entries(int count) {
    String[] entries = new String[count];
    for (int i = 0; i < count; i++) {
      entries[i] = "entry" + (count - i);
    }
    return entries;
  }
}
