package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.admission.UnderWay;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The upstream subscriptions that are due and may be requested now. Each host of an endpoint and
 * each feed has a share of the requests under way, hosts that answer have places of their own, and
 * hubs that pause are left alone. Safe for use by several threads; {@link #due} is called by one at
 * a time.
 */
final class DueSubscriptions {

  /** Requests under way at once. */
  static final int MAX_UNDER_WAY = 256;

  /** Requests under way at one host. */
  static final int MAX_AT_HOST = 16;

  /** Requests under way for one feed. */
  static final int MAX_OF_FEED = 4;

  /** Requests under way at hosts that did not answer the last request, or had none. */
  static final int MAX_UNPROVEN = 192;

  /** Requests under way at hosts that did not answer the last request. */
  static final int MAX_SILENT = 64;

  /** Due upstream subscriptions that are read beyond the number under way. */
  private static final int READ = 64;

  private final UpstreamSubscriptions store;
  private final HubPauses pauses;
  private final UnderWay underWay =
      new UnderWay(
          new UnderWay.Bounds(
              Permits.Bounds.of(MAX_AT_HOST, MAX_UNDER_WAY), MAX_UNPROVEN, MAX_SILENT));

  private final Permits<Long, Void> feeds = new Permits<>(Permits.Bounds.perKey(MAX_OF_FEED));

  /** Nothing is under way. */
  DueSubscriptions(UpstreamSubscriptions store, HubPauses pauses) {
    this.store = store;
    this.pauses = pauses;
  }

  /** Due upstream subscriptions at hosts that may be asked now, the longest due first. Blocks. */
  List<UpstreamSubscription> due(Instant now) {
    int known = underWay.size();
    if (known >= MAX_UNDER_WAY) {
      return List.of();
    }
    underWay.look();
    // Subscriptions under way may still be due in the store.
    int limit = known + READ;
    Set<String> passed = pauses.passed(now);
    Optional<Set<String>> only = underWay.onlyHosts();
    if (only.isPresent()) {
      only.get().removeAll(passed);
      return store.dueAt(now, only.get(), limit);
    }
    passed.addAll(underWay.fullHosts());
    return store.due(now, passed, limit);
  }

  /** Begins a request, if there is room; returns whether it did. */
  boolean begin(UpstreamSubscription following, Instant now) {
    if (!feeds.tryTake(following.feedId())) {
      return false;
    }
    boolean begun =
        pauses.mayAsk(following, now) && underWay.begin(following.id(), following.host());
    if (begun) {
      pauses.asked(following, now);
    } else {
      var unused = feeds.giveBack(following.feedId());
    }
    return begun;
  }

  /** A request that began has ended. */
  void end(UpstreamSubscription following) {
    underWay.end(following.id());
    pauses.ended(following);
    var unused = feeds.giveBack(following.feedId());
  }

  /** An endpoint answered a request, or left it unanswered. */
  void heard(UpstreamSubscription requested, UpstreamEndpoint.Answer answer) {
    answer.heard().ifPresent(answered -> underWay.heard(requested.host(), answered));
  }
}
