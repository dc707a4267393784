package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.ingest.fetch.Origins;
import io.feedbridge.gateway.ingest.hosts.FetchedHost;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.OriginWindow;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.OriginView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.Page;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/origins}: the hosts that feeds were fetched from lately. */
final class OriginsApi {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  /** The hosts that need an operator come first. */
  private static final Comparator<FetchedHost> ORDER =
      Comparator.comparing(FetchedHost::state, Comparator.reverseOrder())
          .thenComparing(FetchedHost::waiting, Comparator.reverseOrder())
          .thenComparing(FetchedHost::host);

  private final Supplier<List<FetchedHost>> hosts;
  private final Origins origins;
  private final Clock clock;

  OriginsApi(Supplier<List<FetchedHost>> hosts, Origins origins, Clock clock) {
    this.hosts = hosts;
    this.origins = origins;
    this.clock = clock;
  }

  /** {@code GET /origins}. */
  Response list(Request request) {
    Page page = Page.of(request);
    String part = Page.text(request).orElse("").toLowerCase(Locale.ROOT);
    Optional<OriginWindow.Standing> state = Page.parameter(request, "state").map(OriginsApi::state);
    return HostsApi.part(
        page,
        hosts.get().stream()
            .filter(host -> host.host().contains(part))
            .filter(host -> state.isEmpty() || host.state() == state.get())
            .sorted(ORDER)
            .toList(),
        views());
  }

  /** {@code GET /origins/{host}}. */
  Response get(Request request) {
    String name = request.pathVariables().getOrDefault("host", "").toLowerCase(Locale.ROOT);
    return hosts.get().stream()
        .filter(host -> host.host().equals(name))
        .findFirst()
        .map(host -> Answers.json(OK, views().apply(host)))
        .orElseGet(() -> Answers.problem(NOT_FOUND, "no feed was fetched from this host lately"));
  }

  /** One look at the pauses for all hosts of an answer. */
  private Function<FetchedHost, OriginView> views() {
    Map<String, Instant> pauses = origins.pauses().byHost();
    return host -> view(host, pauses.get(host.host()));
  }

  private OriginView view(FetchedHost host, @Nullable Instant pause) {
    Optional<SiteGate.Pace> pace = origins.sites().pace(Origin.of("http://" + host.host()));
    Instant now = clock.instant();
    Instant pausedUntil =
        Stream.concat(Stream.ofNullable(pause), pace.map(SiteGate.Pace::restUntil).stream())
            .filter(now::isBefore)
            .max(Comparator.naturalOrder())
            .orElse(null);
    return new OriginView(
        host.host(),
        Answers.word(host.state()),
        host.permits(),
        host.underWay(),
        host.waiting(),
        host.took().isZero() ? null : host.took().toMillis(),
        pausedUntil,
        pace.map(SiteGate.Pace::site).orElse(null),
        pace.map(one -> one.each().toMillis()).orElse(null),
        pace.map(SiteGate.Pace::given).orElse(null));
  }

  private static OriginWindow.Standing state(String name) {
    return Stream.of(OriginWindow.Standing.values())
        .filter(state -> Answers.word(state).equals(name))
        .findFirst()
        .orElseThrow(() -> new BadFieldException("state", "it must be slow, unproven or prompt"));
  }
}
