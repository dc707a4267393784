package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.bridge.BridgedUrl.Kind;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.ToLongFunction;

/**
 * Makes the documents of bridged feeds, each once for all callers that wait for it. A document
 * takes several times the feed's bytes while it is made: long ones are made one after the other,
 * apart from the others, and a caller may wait for few of them. Thread-safe.
 */
final class BridgedRendering {

  /** Bytes of a feed of the usual size: of its document and its newest entries. */
  static final int USUAL = 256 * 1024;

  /** Long documents that one caller may have in the making. */
  static final int MAX_LONG_OF_ONE = 2;

  /** How a document is made. */
  @FunctionalInterface
  interface Maker {
    /** Makes it. Blocks on the store. */
    BridgedDocument make(FollowedFeed feed, Kind kind);
  }

  private final Maker maker;
  private final ToLongFunction<FollowedFeed> length;
  private final Executor oneByOne;
  private final Map<Key, CompletableFuture<BridgedDocument>> making = new HashMap<>();
  private final Permits<String, Void> longOfCaller =
      new Permits<>(Permits.Bounds.perKey(MAX_LONG_OF_ONE));

  /**
   * A rendering.
   *
   * @param length of the bytes that a document is made of; may block on the store
   * @param oneByOne where long ones are made: of one thread, with a short queue
   */
  BridgedRendering(Maker maker, ToLongFunction<FollowedFeed> length, Executor oneByOne) {
    this.maker = maker;
    this.length = length;
    this.oneByOne = oneByOne;
  }

  private record Key(long feedId, long head, String bodyHash, Kind kind) {}

  /**
   * The document of a feed as it is now. One of the usual size is made in this thread, whose turn
   * is the caller's; blocks on the store.
   *
   * @param caller the caller's key, as far as limits tell callers apart
   * @return empty if the caller has too many long ones in the making
   * @throws RejectedExecutionException if too many documents wait to be made
   */
  Optional<CompletableFuture<BridgedDocument>> of(FollowedFeed feed, Kind kind, String caller) {
    Key key = new Key(feed.id(), feed.head(), String.valueOf(feed.validators().bodyHash()), kind);
    synchronized (this) {
      CompletableFuture<BridgedDocument> begun = making.get(key);
      if (begun != null) {
        return Optional.of(begun);
      }
    }
    boolean isLong = length.applyAsLong(feed) > USUAL;
    CompletableFuture<BridgedDocument> document = new CompletableFuture<>();
    synchronized (this) {
      CompletableFuture<BridgedDocument> begun = making.get(key);
      if (begun != null) {
        return Optional.of(begun);
      }
      if (isLong && !longOfCaller.tryTake(caller)) {
        return Optional.empty();
      }
      var unused = making.put(key, document);
    }
    if (isLong) {
      begin(feed, key, document, caller);
    } else {
      make(feed, key, document, Optional.empty());
    }
    return Optional.of(document);
  }

  private void begin(
      FollowedFeed feed, Key key, CompletableFuture<BridgedDocument> document, String caller) {
    Optional<String> longFor = Optional.of(caller);
    try {
      oneByOne.execute(() -> make(feed, key, document, longFor));
    } catch (RejectedExecutionException e) {
      over(key, longFor);
      document.completeExceptionally(e);
    }
  }

  private void make(
      FollowedFeed feed,
      Key key,
      CompletableFuture<BridgedDocument> document,
      Optional<String> longFor) {
    try {
      BridgedDocument made = maker.make(feed, key.kind);
      over(key, longFor);
      document.complete(made);
    } catch (RuntimeException | Error e) {
      over(key, longFor);
      document.completeExceptionally(e);
    }
  }

  private synchronized void over(Key key, Optional<String> longFor) {
    var unused = making.remove(key);
    longFor.ifPresent(longOfCaller::giveBack);
  }
}
