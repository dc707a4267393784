package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.crash.Fact.Fault;
import io.feedbridge.gateway.crash.Journal.Line;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Says from a journal alone which promises were broken. A judge is used once and by one thread.
 *
 * <p>Of the order of two facts it relies only on what must be so: an entry is put before its
 * publish is sent, a subscription is seen in the store after it was made, a process ends before
 * what it left is read.
 */
final class Judge {

  private final Map<Follower, Care> cares = new LinkedHashMap<>();
  private final Map<Topic, Course> courses = new HashMap<>();
  private final Map<Long, Topic> events = new HashMap<>();
  private final Map<String, Integer> ends = new HashMap<>();

  /** When digests were made due, in seconds since the epoch, and the line in which they were. */
  private final TreeMap<Long, Integer> dues = new TreeMap<>();

  private @Nullable Relay relay;

  /** The line in which a server took the newest ping that was passed on. */
  private int newestRelay;

  private final List<Duration> recoveries = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private Starts starts = new Starts(Snapshot.NOTHING, 0);
  private Snapshot left = Snapshot.NOTHING;
  private TopicFigures topic = TopicFigures.NONE;
  private String lastEnd = "";
  private int launches;
  private long deliveries;
  private long duplicates;
  private long duplicatesSince;
  private long bound;
  private long boundNow;

  private Judge() {}

  /** The topic of which another server is told, and the line from which on it is. */
  private record Relay(Topic topic, int since) {}

  /** A topic's entries, as far as they were put. */
  private static final class Course {
    /** The lines in which they were, the first that of entry 1. */
    final List<Integer> puts = new ArrayList<>();

    final Set<Integer> promised = new HashSet<>();

    /** The first event that brought each. */
    final TreeMap<Integer, Long> events = new TreeMap<>();

    /** The event that brought an entry, or a part with a later one; 0 if none did. */
    long event(int entry, boolean isPart) {
      Map.Entry<Integer, Long> later = isPart ? events.ceilingEntry(entry) : null;
      return later != null ? later.getValue() : events.getOrDefault(entry, 0L);
    }
  }

  /** The verdict over a whole journal. */
  static Report judge(List<Line> lines) {
    Judge judge = new Judge();
    lines.forEach(judge::read);
    return judge.end();
  }

  private Care care(Follower follower) {
    return cares.computeIfAbsent(follower, one -> new Care(one, this::broken));
  }

  private Course course(Topic topic) {
    return courses.computeIfAbsent(topic, one -> new Course());
  }

  private void broken(Rule rule, String what) {
    faults.add(new Fault(rule, "life %d (after %s): %s".formatted(launches, lastEnd, what)));
  }

  private void read(Line line) {
    Fact fact = line.fact();
    starts.read(line);
    if (fact instanceof Fact.Put put) {
      course(put.topic()).puts.add(line.number());
    } else if (fact instanceof Fact.Promised promised) {
      course(promised.topic()).promised.add(promised.entry());
    } else if (fact instanceof Fact.Wanted wanted) {
      care(wanted.follower()).wanted(line, wanted);
    } else if (fact instanceof Fact.Confirmed confirmed) {
      care(confirmed.follower()).confirmed(line, confirmed);
    } else if (fact instanceof Fact.Applied applied) {
      care(applied.follower()).applied(line, applied);
    } else if (fact instanceof Fact.Gone gone) {
      care(gone.follower()).gone();
    } else if (fact instanceof Fact.Arrived arrived) {
      arrived(line, arrived);
    } else if (fact instanceof Fact.Answered answered) {
      answered(line, answered);
    } else if (fact instanceof Fact.Continued more) {
      checkEntries(more.arrived());
      care(more.arrived().follower()).continued(more);
    } else if (fact instanceof Fact.Digested digested) {
      checkEntries(digested.arrived());
      care(digested.arrived().follower()).digested(digested, dues.keySet());
    } else if (fact instanceof Fact.DigestTaken taken) {
      care(taken.follower()).digestTaken(taken);
    } else if (fact instanceof Fact.DigestsDue due) {
      dues.put(due.at(), line.number());
    } else if (fact instanceof Fact.RelayWanted wanted) {
      relay = new Relay(wanted.topic(), line.number());
    } else if (fact instanceof Fact.Relayed ping) {
      relayed(line, ping);
    } else if (fact instanceof Fact.Launched) {
      launches++;
      starts = new Starts(left, line.millis());
      cares.values().forEach(Care::launched);
    } else if (fact instanceof Fact.Ready ready) {
      if (launches > 1) {
        recoveries.add(ready.took());
      }
    } else if (fact instanceof Fact.Called called) {
      starts.check(line, called, unanswered(), this::broken);
    } else if (fact instanceof Fact.TopicRead read) {
      topic = TopicFigures.of(read, what -> broken(Rule.TOPIC, what));
    } else if (fact instanceof Fact.Ended ended) {
      ended(ended);
    }
  }

  /** Publishes that are not answered yet, by topic: the gateway may have taken them. */
  private Map<String, Integer> unanswered() {
    Map<String, Integer> counts = new HashMap<>();
    courses.forEach(
        (topic, course) -> counts.put(topic.url(), course.puts.size() - course.promised.size()));
    return counts;
  }

  private void arrived(Line line, Fact.Arrived arrived) {
    deliveries++;
    Follower follower = arrived.follower();
    Course course = course(follower.topic());
    care(follower).arrived(line, arrived);
    Topic known = events.putIfAbsent(arrived.event(), follower.topic());
    if (arrived.event() <= 0 || (known != null && !known.equals(follower.topic()))) {
      broken(Rule.CROSSING, follower + ": event " + arrived.event() + " is one of " + known);
    }
    checkEntries(arrived);
    if (follower.kind().isDocument()) {
      arrived.entries().forEach(entry -> course.events.merge(entry, arrived.event(), Math::min));
    }
  }

  private void relayed(Line line, Fact.Relayed ping) {
    if (relay == null || !relay.topic.url().equals(ping.topic())) {
      broken(Rule.PHANTOM, "a server is told of " + ping.topic());
    }
    if (ping.taken()) {
      newestRelay = line.number();
    }
  }

  /** Whoever was told of an entry, or of a later one, can fetch both. */
  private void checkRelay(Relay wanted) {
    Course course = course(wanted.topic);
    for (int entry : course.promised) {
      int putIn = course.puts.get(entry - 1);
      if (putIn > wanted.since && putIn > newestRelay) {
        broken(Rule.LOST, "the server was not told of " + wanted.topic.id(entry));
      }
    }
  }

  private void checkEntries(Fact.Arrived arrived) {
    Follower follower = arrived.follower();
    // The entry of the beginning is no news, but stands in bytes and digests.
    int first = follower.kind().isDocument() && arrived.event() > 0 ? 1 : 0;
    for (int entry : arrived.entries()) {
      if (entry < first || entry > course(follower.topic()).puts.size()) {
        broken(Rule.PHANTOM, follower + ": an entry " + entry + " that nobody published");
      }
    }
  }

  private void answered(Line line, Fact.Answered answered) {
    if (care(answered.follower()).answered(line, answered)) {
      duplicates++;
      duplicatesSince++;
    }
  }

  private void ended(Fact.Ended ended) {
    long unspent = ended.goesOn() ? Math.max(0, boundNow - duplicatesSince) : 0;
    checkDuplicates();
    ends.merge(ended.how(), 1, Integer::sum);
    if (!ended.left().sound()) {
      broken(Rule.CORRUPT, "the database that it left");
    }
    if (!ended.left().isEmpty() || !left.isEmpty()) {
      compare(left, ended.left(), ended.goesOn());
    }
    left = ended.left();
    lastEnd = ended.how();
    long once = Starts.mayComeTwice(left);
    boundNow = once + Math.min(once, unspent);
    bound += boundNow;
  }

  /** What came twice in a life was in flight, or past a checkpoint, when the one before ended. */
  private void checkDuplicates() {
    if (duplicatesSince > boundNow) {
      broken(Rule.DUPLICATES, "%d came twice, and %d might".formatted(duplicatesSince, boundNow));
    }
    duplicatesSince = 0;
  }

  private void compare(Snapshot before, Snapshot after, boolean goesOn) {
    for (Care care : cares.values()) {
      String callback = care.follower.callback();
      Snapshot.Subscribed was = before.subscriptions().get(callback);
      Snapshot.Subscribed is = after.subscriptions().get(callback);
      care.left(after, goesOn);
      boolean same =
          was == null
              || is == null
              || (was.terms().equals(is.terms()) && was.leaseEndsAt() == is.leaseEndsAt());
      if (!same && !care.confirmedSince) {
        broken(Rule.LEASE, care.follower + ": its subscription changed by itself");
      }
      care.confirmedSince = false;
    }
  }

  private Report end() {
    checkDuplicates();
    if (!dues.isEmpty()) {
      Map.Entry<Long, Integer> newest = dues.lastEntry();
      cares.values().stream()
          .filter(care -> care.missesDigest(newest.getValue(), newest.getKey()))
          .forEach(care -> broken(Rule.LOST, care.follower + ": no digest of " + newest.getKey()));
    }
    if (relay != null) {
      checkRelay(relay);
    }
    long pairs = 0;
    for (Care care : cares.values()) {
      Course course = course(care.follower.topic());
      for (int entry = 1; entry <= course.puts.size(); entry++) {
        int putIn = course.puts.get(entry - 1);
        if (!course.promised.contains(entry) || !care.isOwed(entry, putIn)) {
          continue;
        }
        pairs++;
        if (!care.has(entry, course.event(entry, care.follower.topic().way().isPart()))) {
          broken(
              Rule.LOST,
              "%s (%s, %s) did not get %s"
                  .formatted(
                      care.follower,
                      care.follower.kind(),
                      care.follower.temper(),
                      care.follower.topic().id(entry)));
        }
      }
    }
    return new Report(
        Map.copyOf(ends),
        launches,
        courses.values().stream().mapToInt(course -> course.promised.size()).sum(),
        events.size(),
        (int) cares.values().stream().filter(care -> care.applied < Integer.MAX_VALUE).count(),
        deliveries,
        pairs,
        duplicates,
        bound,
        topic,
        recoveries,
        faults);
  }
}
