package io.feedbridge.gateway.web.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.store.sqlite.search.FtsIndex;
import io.feedbridge.gateway.web.common.CallerThreads;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each caller of the search has a share of its threads. */
class SearchHandlerTest {

  @TempDir Path folder;

  /** The searches that have a thread, or wait for one. */
  private final Deque<Runnable> threads = new ArrayDeque<>();

  private final CallerThreads callers =
      new CallerThreads(
          request -> request.peer().getHostString(), CallerThreads.AT_ONCE, Runnable::run);

  private SqliteBackend backend;
  private FtsIndex index;
  private SearchHandler handler;

  @BeforeEach
  void start() {
    backend = new SqliteBackend(folder);
    index = FtsIndex.open(folder);
    Search search = new Search(index, backend.store().entries(), threads::add);
    handler =
        new SearchHandler(
            search, backend.store().privateFeeds(), callers, "http://gateway.example/hub");
  }

  @AfterEach
  void stop() {
    index.close();
    backend.close();
  }

  private void search(HubCaller caller, String address) {
    Map<String, List<String>> query = Map.of("query", List.of("word"));
    Request request =
        new Request(
            "GET",
            "/hub",
            "query=word",
            query,
            Headers.none(),
            new byte[0],
            new InetSocketAddress(address, 80),
            Map.of());
    var unused = handler.search(caller, request, new HubParameters(query));
  }

  private static HubCaller login(String name) {
    return new HubCaller(name, EnumSet.of(Right.RETRIEVE));
  }

  @Test
  void a_login_is_one_caller_from_wherever_it_searches() {
    for (int i = 1; i <= 10; i++) {
      search(login("ann"), "192.0.2." + i);
    }
    assertThat(threads).hasSize(1);

    search(login("bob"), "192.0.2.1");
    assertThat(threads).hasSize(2);
  }

  @Test
  void operators_are_told_apart_by_address() {
    for (int i = 0; i < 10; i++) {
      search(HubCaller.OPERATOR, "192.0.2.1");
    }
    search(HubCaller.OPERATOR, "192.0.2.2");

    assertThat(threads).hasSize(2);
  }
}
