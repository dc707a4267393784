package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.crash.Fact.Wish;
import io.feedbridge.gateway.crash.Follower.Kind;
import io.feedbridge.gateway.crash.Journal.Line;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What the judge knows of one follower, and the rules that concern it alone. */
final class Care {

  /** Clocks of two processes on one machine, read at different moments. */
  private static final long SLACK_MILLIS = 50;

  /** Entries of a digest. */
  private static final int MOST_OF_DIGEST = 10;

  /** Entries of a document into which the next event may not fit. */
  private static final int FULL = 90;

  private static final int NO_LIFE = -1;
  private static final int NEVER = Integer.MAX_VALUE;

  /** Documents that a webhook may get again: a checkpoint's interval and a batch. */
  private static final int MOST_AGAIN = 200 + 100;

  final Follower follower;
  private final BiConsumer<Rule, String> broken;

  /** The line in which its subscription was seen first. */
  int applied = NEVER;

  /** The line from which on nothing more is owed to it. */
  int ending = NEVER;

  /** Whether it confirmed a subscription since the life before ended. */
  boolean confirmedSince;

  /** When it confirmed the subscription that is stored; 0 while that is not sure. */
  long storedSince;

  private long confirmedAt;
  private boolean confirmed;
  private boolean gone;
  private boolean goneForLong;
  private int secret;
  private int pending;
  private boolean pendingConfirmed;
  private int stored;

  private long newestEvent;
  private int newestEntry;
  private long newestTaken;
  private List<Integer> last = List.of();
  private final Map<Long, List<Integer>> documents = new HashMap<>();

  /** A message of a document behind its first. */
  private record Part(long event, int number) {}

  private final Map<Part, List<Integer>> parts = new HashMap<>();
  private final Set<Long> taken = new HashSet<>();
  private final BitSet had = new BitSet();
  private Snapshot.@Nullable Lag lag;

  /** How often the last delivery may come again in this life. */
  private int repeats;

  /** {@link #repeats} of the life before: its requests may be answered in this one. */
  private int lateRepeats;

  private int life;

  /** The life in which each delivery arrived that is not answered yet. */
  private final Map<Long, Integer> unanswered = new HashMap<>();

  private boolean hearsAnswers;

  /** Until when one that wants few documents rests, and the life in which that began. */
  private long restsUntil;

  private int restsIn;
  private long newestDigest;
  private long takenDigest;
  private boolean mayRepeatDigest;

  /** Of a webhook: what it has taken in this life. */
  private final Set<Long> takenNow = new HashSet<>();

  Care(Follower follower, BiConsumer<Rule, String> broken) {
    this.follower = follower;
    this.broken = broken;
  }

  private void fault(Rule rule, String what) {
    broken.accept(rule, "%s (%s): %s".formatted(follower, follower.temper(), what));
  }

  boolean isLive() {
    return applied != NEVER && ending == NEVER;
  }

  void wanted(Line line, Fact.Wanted wanted) {
    if (wanted.wish() == Wish.UNSUBSCRIBE) {
      ending = Math.min(ending, line.number());
    } else {
      pending = wanted.secret();
      pendingConfirmed = false;
    }
  }

  void confirmed(Line line, Fact.Confirmed said) {
    if (said.wish() == Wish.SUBSCRIBE) {
      confirmed = true;
      pendingConfirmed = true;
      confirmedSince = true;
      confirmedAt = line.millis();
      storedSince = 0;
    }
  }

  void applied(Line line, Fact.Applied seen) {
    applied = Math.min(applied, line.number());
    stored = seen.secret();
    storedSince = confirmedAt;
  }

  void gone() {
    gone = true;
  }

  /** The gateway starts: whatever it had in memory is gone. */
  void launched() {
    life++;
    mayRepeatDigest = true;
    secret = Math.max(secret, stored);
    goneForLong = gone;
    if (follower.kind().isWebhook()) {
      rewind(lag == null ? new Snapshot.Lag(0, 0, 0, 0, false) : lag);
    }
  }

  /** A webhook begins at its cursor again, whatever it has got from there on (rule L8). */
  private void rewind(Snapshot.Lag from) {
    takenNow.clear();
    newestEvent = from.cursor();
    newestEntry =
        documents.entrySet().stream()
            .filter(document -> document.getKey() <= from.cursor())
            .mapToInt(document -> newest(document.getValue()))
            .max()
            .orElse(0);
    // What was sent one by one may come as one, but for what is to be repeated as it was.
    long kept = Math.max(from.cursor(), from.sentTo());
    documents.keySet().removeIf(event -> event > kept);
    parts.keySet().removeIf(part -> part.event > kept);
  }

  /**
   * How its subscription was left, if there is one.
   *
   * @param goesOn whether the gateway still hears the answers to its requests
   */
  void left(Snapshot snapshot, boolean goesOn) {
    hearsAnswers = goesOn;
    lateRepeats = repeats;
    if (follower.kind().isWebhook()) {
      left(snapshot.webhooks().get(follower.callback()));
      return;
    }
    Snapshot.Subscribed row = snapshot.subscriptions().get(follower.callback());
    // An owner that lost its database twice before it repeated a delivery may repeat it for each.
    int left = goesOn ? Math.min(repeats, 1) : 0;
    repeats = row != null && Starts.mayComeTwice(snapshot, row) ? 1 + left : 0;
    if (row == null) {
      if (isLive()) {
        fault(Rule.LEASE, "its subscription is gone");
      }
      lag = null;
      return;
    }
    lag = row.lag();
    long expected = storedSince + follower.lease().toMillis();
    if (storedSince > 0 && Math.abs(row.leaseEndsAt() - expected) > 20_000) {
      fault(
          Rule.LEASE, "its lease ends at %d instead of %d".formatted(row.leaseEndsAt(), expected));
    }
  }

  private void left(Snapshot.@Nullable Endpoint endpoint) {
    lag = endpoint == null ? null : endpoint.position();
    if (isLive() && (endpoint == null || !endpoint.active() || lag == null)) {
      fault(Rule.LEASE, "it is not active any more: " + endpoint);
    } else if (lag != null) {
      long cursor = lag.cursor();
      long again = taken.stream().filter(event -> event > cursor).count();
      if (again > MOST_AGAIN) {
        fault(Rule.DUPLICATES, "%d documents lie behind its cursor".formatted(again));
      }
    }
  }

  void arrived(Line line, Fact.Arrived arrived) {
    if (arrived.wrong() != null) {
      fault(arrived.wrong().rule(), arrived.wrong().what());
    }
    if (!confirmed || goneForLong) {
      fault(Rule.PHANTOM, "a delivery %s".formatted(goneForLong ? "after its end" : "unasked for"));
    }
    checkSecret(arrived);
    checkWindow(line, arrived);
    checkRetry(line, arrived);
    if (arrived.event() < newestEvent) {
      fault(Rule.ORDER, "event %d after %d".formatted(arrived.event(), newestEvent));
    }
    last = arrived.entries();
    unanswered.put(arrived.event(), life);
    if (follower.kind().isDocument()) {
      checkDocument(arrived);
    } else if (follower.kind() == Kind.RAW && newest(last) < newestEntry) {
      fault(Rule.ORDER, "bytes up to entry %d after %d".formatted(newest(last), newestEntry));
    }
    newestEvent = Math.max(newestEvent, arrived.event());
    newestEntry = Math.max(newestEntry, newest(last));
  }

  private void checkSecret(Fact.Arrived arrived) {
    if (follower.method() == null || arrived.secret() < 0) {
      return;
    }
    if (pendingConfirmed && arrived.secret() == pending) {
      secret = pending;
    } else if (arrived.secret() != secret) {
      fault(Rule.SIGNATURE, "secret %d instead of %d".formatted(arrived.secret(), secret));
    }
  }

  private void checkRetry(Line line, Fact.Arrived arrived) {
    Snapshot.Lag was = lag;
    lag = null;
    if (was == null || was.nextAttemptAt() == 0) {
      return;
    }
    // The row of a webhook does not say whether a request is under way.
    boolean underWay = was.inFlight() || (follower.kind().isWebhook() && was.sentTo() > 0);
    if (hearsAnswers && underWay) {
      return;
    }
    long early = was.nextAttemptAt() - line.millis();
    if (!was.inFlight() && was.attempts() > 0 && early > SLACK_MILLIS) {
      fault(Rule.RETRY, "tried again %d ms before its time".formatted(early));
    }
    // A batch of a webhook has one document a feed, of which one is its own.
    boolean asBefore =
        follower.kind().isWebhook()
            ? arrived.event() <= was.sentTo()
            : arrived.event() == was.sentTo() || follower.kind() == Kind.LIGHT;
    if (was.sentTo() > 0 && !asBefore) {
      fault(
          Rule.RETRY, "tried again with %d instead of %d".formatted(arrived.event(), was.sentTo()));
    }
  }

  /** A seldom follower rests after each document, and as the store of the life before says. */
  private void checkWindow(Line line, Fact.Arrived arrived) {
    if (!follower.kind().isSeldom()) {
      return;
    }
    long left = lag == null || lag.inFlight() ? 0 : lag.restsUntil();
    boolean again = taken.contains(arrived.event());
    long early = Math.max(left, again || restsIn < life ? 0 : restsUntil) - line.millis();
    if (early > SLACK_MILLIS) {
      fault(Rule.WINDOW, "a document %d ms before the end of its rest".formatted(early));
    }
  }

  /**
   * A digest came.
   *
   * @param dues when digests were made due, in seconds since the epoch
   */
  void digested(Fact.Digested digest, Set<Long> dues) {
    Fact.Arrived arrived = digest.arrived();
    if (arrived.wrong() != null) {
      fault(arrived.wrong().rule(), arrived.wrong().what());
    }
    checkSecret(arrived);
    lag = null;
    List<Integer> entries = arrived.entries();
    if (follower.kind() != Kind.DIGEST || !confirmed || !dues.contains(digest.dueAt())) {
      fault(Rule.PHANTOM, "a digest of %d that was not due".formatted(digest.dueAt()));
    }
    if (digest.dueAt() < newestDigest) {
      fault(Rule.ORDER, "a digest of %d after %d".formatted(digest.dueAt(), newestDigest));
    }
    boolean descends =
        IntStream.range(1, entries.size()).allMatch(i -> entries.get(i) < entries.get(i - 1));
    if (!descends || entries.size() > MOST_OF_DIGEST) {
      fault(Rule.DOCUMENT, "a digest of " + entries);
    }
    newestDigest = Math.max(newestDigest, digest.dueAt());
  }

  void digestTaken(Fact.DigestTaken digest) {
    if (digest.dueAt() == takenDigest && !mayRepeatDigest) {
      fault(Rule.DUPLICATES, "the digest of %d again".formatted(takenDigest));
    }
    mayRepeatDigest &= digest.dueAt() != takenDigest;
    takenDigest = Math.max(takenDigest, digest.dueAt());
  }

  /** Whether it misses the digest that was made due in this line. */
  boolean missesDigest(int madeDueIn, long dueAt) {
    return follower.kind() == Kind.DIGEST && isLive() && applied < madeDueIn && takenDigest < dueAt;
  }

  private void checkDocument(Fact.Arrived arrived) {
    List<Integer> before = documents.putIfAbsent(arrived.event(), last);
    if (before != null) {
      if (!before.equals(last)) {
        fault(
            Rule.DOCUMENT, "event %d has %s, and had %s".formatted(arrived.event(), last, before));
      }
      return;
    }
    // Each event's entries stand in the order of the feed, which is the newest first.
    int below = newestEntry;
    int highest = newestEntry;
    int previous = Integer.MAX_VALUE;
    for (int entry : last) {
      if (entry > previous || previous == Integer.MAX_VALUE) {
        below = highest;
      }
      if (entry <= below) {
        fault(
            Rule.ORDER,
            "event %d has %s after entry %d".formatted(arrived.event(), last, newestEntry));
        return;
      }
      highest = Math.max(highest, entry);
      previous = entry;
    }
  }

  /** A further message of a document came and was taken. */
  void continued(Fact.Continued more) {
    Fact.Arrived arrived = more.arrived();
    if (arrived.wrong() != null) {
      fault(arrived.wrong().rule(), arrived.wrong().what());
    }
    List<Integer> entries = arrived.entries();
    List<Integer> before = parts.putIfAbsent(new Part(arrived.event(), more.part()), entries);
    if (before != null && !before.equals(entries)) {
      fault(
          Rule.DOCUMENT,
          "part %d of %d has %s, and had %s"
              .formatted(more.part(), arrived.event(), entries, before));
    }
    if (arrived.event() != newestTaken || (before == null && entries.get(0) <= newestEntry)) {
      fault(
          Rule.ORDER,
          "part %d of %d has %s after entry %d of %d"
              .formatted(more.part(), arrived.event(), entries, newestEntry, newestTaken));
    }
    entries.forEach(had::set);
    newestEntry = Math.max(newestEntry, newest(entries));
  }

  private static int newest(List<Integer> entries) {
    return entries.stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  /** Whether it had this before, by a delivery of this life. */
  boolean answered(Line line, Fact.Answered answered) {
    Integer arrivedIn = unanswered.remove(answered.event());
    boolean isLate = arrivedIn != null && arrivedIn < life;
    if (answered.leaves()) {
      ending = Math.min(ending, line.number());
    }
    if (!answered.taken()) {
      return false;
    }
    last.forEach(had::set);
    // What a document cannot hold follows at once.
    restsIn = last.size() < FULL ? life : NO_LIFE;
    restsUntil = line.millis() + Follower.WINDOW.toMillis();
    newestTaken = Math.max(newestTaken, answered.event());
    boolean again = !taken.add(answered.event());
    if (follower.kind().isWebhook()) {
      if (!isLate && !takenNow.add(answered.event())) {
        fault(Rule.DUPLICATES, "event %d again in one life".formatted(answered.event()));
      }
      // What a start may repeat is known of each by itself.
      return false;
    }
    if (again && (isLate ? lateRepeats : repeats) == 0) {
      fault(
          Rule.DUPLICATES, "event %d again, which a checkpoint covers".formatted(answered.event()));
    }
    // A restart may repeat the last delivery, and not twice.
    if (isLate) {
      lateRepeats = again ? Math.max(0, lateRepeats - 1) : lateRepeats;
      return false;
    }
    repeats = again ? Math.max(0, repeats - 1) : repeats;
    return again;
  }

  /**
   * Whether an entry that it is owed has reached it. Of raw bytes and of parts only the newest are
   * promised: who was behind has an entry with those of any later one, in which it may not stand
   * any more.
   *
   * @param event that brought it to others; 0 if it came to nobody
   */
  boolean has(int entry, long event) {
    return switch (follower.kind()) {
      case LIGHT -> event > 0 && newestTaken >= event;
      case RAW -> had.length() > entry;
      case WEBHOOK ->
          // A part has its newest entry alone.
          follower.topic().way().isPart() ? had.length() > entry : had.get(entry);
      case ATOM, JSON, SELDOM, DIGEST, SELDOM_WEBHOOK, TEMPLATE_WEBHOOK, ROOM_WEBHOOK ->
          had.get(entry);
    };
  }

  /** Whether it is owed an entry that was put in this line: one that ended, only up to its last. */
  boolean isOwed(int entry, int putIn) {
    return putIn > applied && (ending == NEVER || entry < had.length() - 1);
  }
}
