package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.store.sqlite.search.FtsIndex;
import io.feedbridge.gateway.web.common.CallerThreads;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each caller of the search has a share of its threads. */
class SearchApiTest {

  @TempDir Path folder;

  /** The searches that have a thread, or wait for one. */
  private final Deque<Runnable> threads = new ArrayDeque<>();

  private final CallerThreads callers =
      new CallerThreads(
          request -> request.peer().getHostString(), CallerThreads.AT_ONCE, Runnable::run);

  private SqliteBackend backend;
  private FtsIndex index;
  private SearchApi api;

  @BeforeEach
  void start() {
    backend = new SqliteBackend(folder);
    index = FtsIndex.open(folder);
    Search search = new Search(index, backend.store().entries(), threads::add);
    api = new SearchApi(search, callers);
  }

  @AfterEach
  void stop() {
    index.close();
    backend.close();
  }

  private void search(String caller) {
    var unused =
        api.search(
            new Request(
                "GET",
                "/api/v1/search",
                "q=word",
                Map.of("q", List.of("word")),
                Headers.none(),
                new byte[0],
                new InetSocketAddress(caller, 80),
                Map.of()));
  }

  @Test
  void callers_at_two_addresses_search_at_once() {
    for (int i = 0; i < 10; i++) {
      search("192.0.2.1");
    }
    search("192.0.2.2");

    assertThat(threads).hasSize(2);
  }
}
