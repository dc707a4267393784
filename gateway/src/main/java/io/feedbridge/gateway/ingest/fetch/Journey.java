package io.feedbridge.gateway.ingest.fetch;

import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The sites to which one fetch leads. A further request to a site that the fetch has asked goes at
 * once and counts there; one to another site asks that site first, and is not sent before it may.
 * Holds nothing while it waits, so that sites that lead to each other hold up nothing. Used by one
 * thread at a time; never blocks.
 */
public final class Journey {

  private final Origins origins;
  private final Function<Origin, Optional<SiteGate.Wait>> ask;
  private final Instant sentAt;
  private final List<Origin> asked = new ArrayList<>();
  private FetchResult.@Nullable HeldBack heldBack;

  /**
   * A fetch whose first request is sent now.
   *
   * @param ask asks a site to send a request now
   */
  public Journey(
      Origins origins,
      Origin first,
      Function<Origin, Optional<SiteGate.Wait>> ask,
      Instant sentAt) {
    this.origins = origins;
    this.ask = ask;
    this.sentAt = sentAt;
    asked.add(first);
  }

  /** Whether a request goes to a URL now, of which it has no way back. */
  public boolean goesTo(String url) {
    Origin next = Origin.of(url);
    if (asked.stream().anyMatch(one -> origins.sites().isOneSite(one, next))) {
      origins.sites().sentBesides(next, sentAt);
      return true;
    }
    Optional<SiteGate.Wait> wait = origins.early(next, ask);
    if (wait.isEmpty()) {
      asked.add(next);
      return true;
    }
    heldBack = new FetchResult.HeldBack(next, wait.get());
    return false;
  }

  /** The reason for which the last request was not sent, if one was not. */
  public Optional<FetchResult> heldBack() {
    return Optional.ofNullable(heldBack);
  }
}
