package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.admission.UnderWay;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The places of verifications: bounded in all, at each host and, for new requests, for each caller
 * at a host. Safe for use by several threads.
 */
final class VerificationPlaces {

  /** Verifications under way at once; the others wait in the store. */
  static final int MAX_UNDER_WAY = 256;

  /** Verifications at one host; a host that hangs with thousands of callbacks holds up no other. */
  static final int MAX_PER_HOST = 16;

  /**
   * Verifications of {@link #MAX_PER_HOST} that only requests about active subscriptions can have:
   * new requests of strangers for a shared host do not keep renewals there waiting.
   */
  static final int FOR_RENEWALS = 4;

  /** Verifications of one caller at one host that are not about active subscriptions. */
  static final int MAX_OF_CALLER = 6;

  /** Verifications of {@link #MAX_UNDER_WAY} that only hosts without one can have. */
  static final int RESERVED = 64;

  private final UnderWay underWay =
      new UnderWay(
          UnderWay.Bounds.of(new Permits.Bounds(MAX_PER_HOST, MAX_UNDER_WAY, RESERVED, 0, 0)));

  /** The verifications under way that are not about active subscriptions, by host. */
  private final Permits<String, Void> strangers =
      new Permits<>(Permits.Bounds.perKey(MAX_PER_HOST - FOR_RENEWALS));

  /** The verifications under way that are not about active subscriptions, by host and caller. */
  private final Permits<String, Void> callers = new Permits<>(Permits.Bounds.perKey(MAX_OF_CALLER));

  /** Due requests at hosts that are not full. Called by one thread at a time; blocks. */
  List<Subscriptions.Pending> due(Subscriptions subscriptions, Instant now) {
    int known = underWay.size();
    if (known >= MAX_UNDER_WAY) {
      return List.of();
    }
    underWay.look();
    // Requests under way are still in the store, so that many more are read than can begin.
    return subscriptions.due(now, underWay.fullHosts(), renewalsOnly(), known + MAX_UNDER_WAY);
  }

  private Set<String> renewalsOnly() {
    Set<String> full = new HashSet<>(strangers.full());
    full.addAll(callers.full());
    return full;
  }

  /** Takes the places of a verification, if there are any; {@link #end} gives them back. */
  boolean begin(Subscriptions.Pending pending) {
    if (!enter(pending)) {
      return false;
    }
    boolean begun = underWay.begin(pending.verification().id(), pending.verification().host());
    if (!begun) {
      leave(pending);
    }
    return begun;
  }

  private boolean enter(Subscriptions.Pending pending) {
    if (pending.renewal()) {
      return true;
    }
    String host = pending.verification().host();
    if (!strangers.tryTake(host)) {
      return false;
    }
    boolean hasShare = pending.callerAtHost().map(callers::tryTake).orElse(true);
    if (!hasShare) {
      var unused = strangers.giveBack(host);
    }
    return hasShare;
  }

  private void leave(Subscriptions.Pending pending) {
    if (!pending.renewal()) {
      var unused = strangers.giveBack(pending.verification().host());
      pending.callerAtHost().ifPresent(callers::giveBack);
    }
  }

  void end(Subscriptions.Pending pending) {
    leave(pending);
    underWay.end(pending.verification().id());
  }
}
