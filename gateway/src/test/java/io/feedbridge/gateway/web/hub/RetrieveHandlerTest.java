package io.feedbridge.gateway.web.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.delivery.HookedStore;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.publish.PastEntries;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.subscribers.HubRequests;
import io.feedbridge.gateway.subscribers.Outcomes;
import io.feedbridge.gateway.track.TrackerTopics;
import io.feedbridge.websub.LeasePolicy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A feed that becomes private while a login's call is answered. */
class RetrieveHandlerTest {

  private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
  private static final URI URL = URI.create("http://gateway.example");
  private static final String TOPIC = "https://one.example/feed";
  private static final Request REQUEST =
      new Request(
          "GET",
          "/hub",
          "",
          Map.of(),
          Headers.none(),
          new byte[0],
          new InetSocketAddress("192.0.2.1", 80),
          Map.of());

  @TempDir private Path folder;
  private SqliteBackend backend;
  private HookedStore hooks;
  private Store store;
  private RetrieveHandler handler;
  private RetrieveHandler.Query query;

  @BeforeEach
  void start() {
    backend = new SqliteBackend(folder);
    hooks = new HookedStore(backend.store());
    store = hooks.store();
    FollowedFeed feed = store.feeds().follow(TOPIC, NOW).join();
    OutcomeBuilder outcome = OutcomeBuilder.of(feed, NOW).baseline();
    store
        .feeds()
        .record(outcome.document("Title", OutcomeBuilder.entry("a", "the text")).build())
        .join();
    HubRequests requests =
        new HubRequests(
            store.subscriptions(),
            LeasePolicy.DEFAULT,
            Format.ATOM,
            new BridgedUrls(URL),
            URL,
            new ManualTimer(NOW),
            new Outcomes());
    handler =
        new RetrieveHandler(
            store,
            new PastEntries(store.feeds(), URL + "/hub"),
            new HubSearch(requests, new HubTopics(requests, new TrackerTopics(URL))),
            Policies.of(
                UrlPatterns.ALL,
                UrlPatterns.ALL,
                AddressPolicy.allowing(List.of(), List.of()),
                URL,
                TrackerPolicy.OPEN));
    query =
        new RetrieveHandler.Query(
            List.of(store.feeds().byTopic(TOPIC).orElseThrow()),
            new PastEntries.Choice(10, Optional.empty(), Optional.empty()),
            false,
            RetrieveHandler.Kind.ATOM,
            "",
            LoginSubscriptions.Filter.of("ann").to(TOPIC));
  }

  @AfterEach
  void stop() {
    backend.close();
  }

  private void becomesPrivateDuringTheRead() {
    hooks.on(
        "Feeds.newest",
        (arguments, call) -> {
          Object newest = call.run();
          store.privateFeeds().hide(TOPIC).join();
          return newest;
        });
  }

  @Test
  void is_not_given_to_a_login_though_its_entries_were_read_before() {
    HubCaller ann = new HubCaller("ann", EnumSet.of(Right.RETRIEVE));
    assertThat(handler.answer(ann, REQUEST, query).bodyAsText()).contains("the text");

    becomesPrivateDuringTheRead();

    assertThatThrownBy(() -> handler.answer(ann, REQUEST, query))
        .isInstanceOf(HubRefusal.class)
        .hasMessageContaining("no subscription of yours");
  }

  @Test
  void is_given_to_the_operator() {
    becomesPrivateDuringTheRead();

    assertThat(handler.answer(HubCaller.OPERATOR, REQUEST, query).bodyAsText())
        .contains("the text");
  }
}
