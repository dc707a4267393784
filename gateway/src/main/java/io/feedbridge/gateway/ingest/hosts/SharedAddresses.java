package io.feedbridge.gateway.ingest.hosts;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.ingest.hosts.LearntPace.Change;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sites that were refused at one remote address take turns within one pace, as a platform may count
 * requests over all of its domains. A site takes part if it was itself refused within a day and its
 * last answer came from there. Others make it at most {@link #MOST_SLOWED} times slower than its
 * own pace, so that strangers that refuse on purpose cannot starve it; their pauses are not its
 * own. Not thread-safe; its gate guards it.
 */
final class SharedAddresses {

  /**
   * The most addresses that are remembered; the one that answered longest ago goes. Their sites are
   * among {@link SiteGate#MAX_SITES}.
   */
  static final int MAX_ADDRESSES = 2_000;

  /** The time between two requests to a site is at most so many times the time that it permits. */
  static final int MOST_SLOWED = 8;

  private static final SiteAnswer REFUSED = new SiteAnswer(429, Optional.empty(), RateLimit.NONE);
  private static final SiteAnswer GOOD = new SiteAnswer(200, Optional.empty(), RateLimit.NONE);

  private static final Logger log = LoggerFactory.getLogger(SharedAddresses.class);

  private final Map<String, Address> addresses = new LinkedHashMap<>(16, 0.75f, true);
  private long members;

  private static final class Address {
    private final LearntPace pace = new LearntPace(Duration.ZERO, Duration.ZERO);

    /** Of sites, each of which has one at most: so each comes in turn, whatever its feeds. */
    private final SiteTurns turns = new SiteTurns();

    /** The one that was refused longest ago is the first. */
    private final Set<Member> members = new LinkedHashSet<>();

    private void refused(Member member, Instant at) {
      if (!at.equals(member.refusedAt)) {
        member.refusedAt = at;
        members.remove(member);
      }
      members.add(member);
    }

    private void forget(Instant now) {
      Iterator<Member> eldest = members.iterator();
      while (eldest.hasNext() && !isLately(eldest.next().refusedAt, now)) {
        eldest.remove();
      }
    }

    private void learn(SiteAnswer answer, Instant sentAt, Instant now) {
      if (pace.learn(answer, sentAt, now) != Change.NONE) {
        turns.respace(pace.now(now), Instant.MIN, now);
        log.atInfo()
            .addKeyValue("sites", members.size())
            .addKeyValue("pace", pace.now(now))
            .log("A pace of sites that refuse requests at one address is learnt");
      }
    }
  }

  /** A site at an address. Two are never equal. */
  static final class Member {
    private final long key;
    private final Address address;
    private Instant refusedAt = Instant.EPOCH;
    private Instant sentAt = Instant.MIN;

    /** Whether its last request kept the pace of its address; else a refusal says nothing of it. */
    private boolean keptPace;

    /** When a request was first asked for since the last one was sent. */
    private @Nullable Instant wantedAt;

    private Member(long key, Address address) {
      this.key = key;
      this.address = address;
    }

    /** The sites with which it takes turns; 0 if it goes by its own pace alone. */
    int others(Instant now) {
      address.forget(now);
      return address.pace.now(now).isZero() || !address.members.contains(this)
          ? 0
          : address.members.size() - 1;
    }

    /** Whether others explain a refusal: its request kept their pace, and so that is too fast. */
    boolean explains(Instant now) {
      return others(now) > 0 && keptPace;
    }

    /** The pace by which its fetches lie, given its own. */
    Duration pace(Duration own, Instant now) {
      int others = others(now);
      Duration shared = address.pace.now(now).multipliedBy(others + 1L);
      if (others == 0 || shared.compareTo(own) < 0) {
        return own;
      }
      // Turns lie a little farther apart than the pace.
      Duration most = own.multipliedBy(MOST_SLOWED - 1L);
      return shared.compareTo(most) < 0 ? shared : most;
    }

    /** A request is asked for. */
    void wanted(Duration own, Instant now) {
      if (wantedAt == null || latest(own, wantedAt).plus(SiteTurns.LAPSED).isBefore(now)) {
        wantedAt = now;
      }
    }

    /** The time from which the others hold it up no more. */
    private Instant latest(Duration own, Instant wanted) {
      Instant first = sentAt.plus(own);
      return (first.isAfter(wanted) ? first : wanted).plus(own.multipliedBy(MOST_SLOWED - 1L));
    }

    /**
     * Asks for the site's turn at the address.
     *
     * @param takesTurn whether a turn is kept for it
     * @return when it is to come again; null if it may be sent now
     */
    @Nullable Instant ask(boolean takesTurn, Duration own, Instant now) {
      if (others(now) == 0) {
        return null;
      }
      Instant at =
          takesTurn
              ? turn(false, now)
              : address.turns.look(address.pace.now(now), Instant.MIN, now);
      Instant latest = latest(own, wantedAt == null ? now : wantedAt);
      Instant told = at == null || at.isBefore(latest) ? at : latest;
      return told == null || !told.isAfter(now) ? null : told;
    }

    private @Nullable Instant turn(boolean isLast, Instant now) {
      return address.turns.ask(
          key, Haste.POLL, address.pace.now(now), Instant.MIN, false, isLast, now);
    }

    /** A request is sent now. */
    void sent(Instant now) {
      keptPace = others(now) == 0 || turn(true, now) == null;
      wantedAt = null;
      sentAt = now;
      address.turns.sent(now, address.pace.now(now));
    }

    /** A request is sent that asks for no turn. */
    void sentBesides(Instant now) {
      address.turns.sentBesides(now, address.pace.now(now));
    }
  }

  private static boolean isLately(Instant refusedAt, Instant now) {
    return refusedAt.isAfter(now.minus(LearntPace.MINDFUL));
  }

  /**
   * Learns from an answer of a site.
   *
   * @param before the site's place so far
   * @param refusedAt when the site itself last refused a request
   * @return its place from now on; null if it has none
   */
  @Nullable Member answered(
      @Nullable Member before, SiteAnswer answer, Instant refusedAt, Instant sentAt, Instant now) {
    InetAddress from = answer.address();
    if (from == null || !isLately(refusedAt, now)) {
      leave(before);
      return null;
    }
    Address at = at(Networks.neighbourhood(from));
    Member member = before;
    if (member == null || member.address != at) {
      leave(before);
      member = new Member(members++, at);
      // The others know of its request only now.
      at.turns.sent(now, at.pace.now(now));
    }
    at.forget(now);
    at.refused(member, refusedAt);
    boolean refused = answer.isRefusal();
    if (at.members.size() > 1 && (!refused || member.keptPace)) {
      at.learn(refused ? REFUSED : GOOD, sentAt, now);
    }
    return member;
  }

  private Address at(String network) {
    Address known = addresses.get(network);
    if (known != null) {
      return known;
    }
    if (addresses.size() >= MAX_ADDRESSES) {
      addresses.remove(addresses.keySet().iterator().next());
    }
    Address address = new Address();
    addresses.put(network, address);
    return address;
  }

  /** A site is forgotten, or answers from elsewhere. */
  void leave(@Nullable Member member) {
    if (member != null) {
      member.address.members.remove(member);
      if (member.address.members.isEmpty()) {
        addresses.values().remove(member.address);
      }
    }
  }

  /** Addresses at which a site was refused lately. */
  int size() {
    return addresses.size();
  }
}
