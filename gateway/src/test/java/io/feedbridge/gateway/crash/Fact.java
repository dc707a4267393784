package io.feedbridge.gateway.crash;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the harness saw or did. The judge knows nothing else. */
sealed interface Fact {

  /** What a follower asks for. */
  enum Wish {
    SUBSCRIBE,
    UNSUBSCRIBE
  }

  /** An entry is there: at the origin, or ready to be delivered by the hub. */
  record Put(Topic topic, int entry) implements Fact {}

  /** The publish of an entry was answered 2xx; where nothing is answered, it was put. */
  record Promised(Topic topic, int entry) implements Fact {}

  /** A follower's request is sent, again and again until it is answered 2xx. */
  record Wanted(Follower follower, Wish wish, int secret) implements Fact {}

  /** A follower gave the challenge back. */
  record Confirmed(Follower follower, Wish wish) implements Fact {}

  /** The subscription is stored, with this secret. */
  record Applied(Follower follower, int secret) implements Fact {}

  /** The subscription is stored no more. */
  record Gone(Follower follower) implements Fact {}

  /**
   * A delivery.
   *
   * @param event as its header says
   * @param entries of the document, in its order
   * @param secret by whose number it is signed; -1 if it has no signature
   * @param wrong what is wrong with it by itself; null if nothing is
   */
  record Arrived(
      Follower follower, long event, List<Integer> entries, int secret, @Nullable Fault wrong)
      implements Fact {}

  /**
   * A further message of a document, which is being answered 2xx on a connection that is still
   * open.
   *
   * @param arrived as of the first message
   * @param part number of the message, from 2
   */
  record Continued(Arrived arrived, int part) implements Fact {}

  /**
   * A digest.
   *
   * @param dueAt as its header says, in seconds since the epoch
   * @param arrived as of any delivery, but without an event
   */
  record Digested(Arrived arrived, long dueAt) implements Fact {}

  /** A digest is being answered 2xx, on a connection that is still open. */
  record DigestTaken(Follower follower, long dueAt) implements Fact {}

  /** All digests are made due, at this time in seconds since the epoch. */
  record DigestsDue(long at) implements Fact {}

  /** Another server is to be told of a topic from now on. */
  record RelayWanted(Topic topic) implements Fact {}

  /** A ping was passed on to the server that is told of a topic. */
  record Relayed(String topic, boolean taken) implements Fact {}

  /** A delivery is being answered, on a connection that is still open. */
  record Answered(Follower follower, long event, int status) implements Fact {
    boolean taken() {
      return status / 100 == 2;
    }

    boolean leaves() {
      return status == 410;
    }
  }

  /** The gateway is started. */
  record Launched(int life) implements Fact {}

  /** It answers. */
  record Ready(int life, Duration took) implements Fact {}

  /** What it asked of others since it was launched, shortly after it was ready. */
  record Called(int life, int origin, int hub, int cloud) implements Fact {}

  /**
   * It is gone.
   *
   * @param how a failpoint, or in a few words
   * @param goesOn whether only its database was away: answers to its requests still count
   */
  record Ended(int life, String how, Snapshot left, boolean goesOn) implements Fact {
    Ended(int life, String how, Snapshot left) {
      this(life, how, left, false);
    }
  }

  /**
   * The end, when nothing was left to do.
   *
   * @param log all events of the log, in its order
   * @param topic the committed records of the topic in Kafka, in the order of each partition
   */
  record TopicRead(List<Logged> log, List<Kept> topic) implements Fact {}

  /** An event of the log. */
  record Logged(long seq, String feed, String via) {}

  /**
   * A record of the topic in Kafka.
   *
   * @param event as key and headers say
   * @param id as its header says
   * @param place its partition and offset
   */
  record Kept(Logged event, String id, String place) {}

  /** A rule that was broken, and by what. */
  record Fault(Rule rule, String what) {}
}
