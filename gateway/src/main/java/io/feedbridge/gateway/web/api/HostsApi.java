package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.delivery.hosts.CalledHost;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.web.api.model.HostView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.Page;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** {@code /api/v1/hosts}: the hosts of callbacks that deliveries went to lately. */
final class HostsApi {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  /** The hosts that need an operator come first. */
  private static final Comparator<CalledHost> ORDER =
      Comparator.comparing(CalledHost::state)
          .thenComparing(CalledHost::waiting, Comparator.reverseOrder())
          .thenComparing(CalledHost::host);

  private final Supplier<List<CalledHost>> hosts;
  private final Laggards laggards;

  HostsApi(Supplier<List<CalledHost>> hosts, Laggards laggards) {
    this.hosts = hosts;
    this.laggards = laggards;
  }

  /** {@code GET /hosts}. */
  Response list(Request request) {
    Page page = Page.of(request);
    String part = Page.text(request).orElse("").toLowerCase(Locale.ROOT);
    Optional<CalledHost.State> state = Page.parameter(request, "state").map(HostsApi::state);
    return part(
        page,
        hosts.get().stream()
            .filter(host -> host.host().contains(part))
            .filter(host -> state.isEmpty() || host.state() == state.get())
            .sorted(ORDER)
            .toList(),
        this::view);
  }

  /** A part of a list in memory, whose order may have changed since the part before. */
  static <T> Response part(Page page, List<T> found, Function<T, ?> view) {
    int from = page.position().map(HostsApi::position).orElse(0);
    List<Integer> shown =
        IntStream.range(Math.min(from, found.size()), found.size())
            .limit(page.limit() + 1L)
            .boxed()
            .toList();
    return Answers.json(
        OK, page.items(shown, at -> view.apply(found.get(at)), at -> Integer.toString(at + 1)));
  }

  /** {@code GET /hosts/{host}}. */
  Response get(Request request) {
    String name = request.pathVariables().getOrDefault("host", "").toLowerCase(Locale.ROOT);
    return hosts.get().stream()
        .filter(host -> host.host().equals(name))
        .findFirst()
        .map(host -> Answers.json(OK, view(host)))
        .orElseGet(
            () -> Answers.problem(NOT_FOUND, "no delivery went to a callback at this host lately"));
  }

  private HostView view(CalledHost host) {
    Duration latency = host.latency();
    return new HostView(
        host.host(),
        Answers.word(host.state()),
        host.permits(),
        host.underWay(),
        host.waiting(),
        laggards.behindAt(host.host()),
        latency == null ? null : latency.toMillis(),
        host.nextProbe(),
        host.usedAt());
  }

  private static int position(String text) {
    if (!text.matches("\\d{1,9}")) {
      throw Page.badCursor();
    }
    return Integer.parseInt(text);
  }

  private static CalledHost.State state(String name) {
    return Stream.of(CalledHost.State.values())
        .filter(state -> Answers.word(state).equals(name))
        .findFirst()
        .orElseThrow(
            () -> new BadFieldException("state", "it must be open, silent, answering or unknown"));
  }
}
