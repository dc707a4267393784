package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.TopicFormat;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedFamily;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.Source;
import io.feedbridge.normalizer.Status;
import io.feedbridge.websub.DocumentWishes;
import io.feedbridge.websub.DocumentWishes.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The news of one feed's events, for a document of the schema.
 *
 * @param feed the feed-level fields of the newest event, with the repairs of all events and with
 *     the entries and removals that are news; none where only the status is news
 * @param newest the last of the events, whose number identifies the document
 * @param status whether the feed's status is news
 */
public record News(Feed feed, Event newest, boolean status) {

  /** A changed entry with a known id is news if it says that it changed this recently. */
  private static final Duration RECENT = Duration.ofMinutes(3);

  /**
   * The entries that are news to a reader.
   *
   * @param created whether a new entry is
   * @param changed whether every changed entry is
   * @param recent whether a changed entry is that says it changed just now
   * @param removed whether the removal of an entry is
   * @param newestFirst whether the entries of all events together begin with the newest; otherwise
   *     the entries of each event do, and the events are in order
   */
  public record Wanted(
      boolean created, boolean changed, boolean recent, boolean removed, boolean newestFirst) {

    /** The usual news, with every changed entry or without. */
    public static Wanted usual(boolean updates) {
      return new Wanted(true, updates, true, true, false);
    }

    /** The news of a reader that may wish for some kinds alone. */
    public static Wanted of(DocumentWishes wishes, boolean updates) {
      Set<Kind> only = wishes.only();
      return only.isEmpty()
          ? usual(updates)
          : new Wanted(
              only.contains(Kind.NEW),
              only.contains(Kind.UPDATED),
              false,
              only.contains(Kind.REMOVED),
              false);
    }

    /** These kinds of news, with the entries in another order. */
    public Wanted ordered(boolean newestFirst) {
      return new Wanted(created, changed, recent, removed, newestFirst);
    }
  }

  /**
   * The news of some events; empty if there are none, as where only bytes or old entries changed.
   *
   * @param events at least one, of one feed and in order
   * @param wanted the entries and removals that are news to the reader
   */
  public static Optional<News> of(List<Event> events, Wanted wanted) {
    List<Removal> removals = wanted.removed ? removals(events) : List.of();
    List<Entry> entries = entries(events, wanted);
    boolean status = events.stream().anyMatch(event -> event.update().statusChanged());
    if (entries.isEmpty() && removals.isEmpty() && !status) {
      return Optional.empty();
    }
    Event newest = events.get(events.size() - 1);
    List<String> repairs =
        events.stream()
            .flatMap(event -> event.update().feed().repairs().stream())
            .distinct()
            .toList();
    Feed fields = newest.update().feed().withRepairs(repairs);
    return Optional.of(
        new News(fields.withEntries(entries).withRemovals(removals), newest, status));
  }

  /** The family of the topic's own format; that of a topic whose format is not known is Atom. */
  FeedFamily family() {
    TopicFormat own = newest.update().format();
    return own == null ? FeedFamily.ATOM : own.family();
  }

  /** Whether a document in this format can tell of any of it: RSS has no form for removals. */
  public boolean isFor(Format format) {
    boolean rss =
        format == Format.RSS
            || (format == Format.AUTO
                && (family() == FeedFamily.RSS || family() == FeedFamily.RDF));
    return status || !feed.entries().isEmpty() || !rss;
  }

  /**
   * The identity of an entry within one feed. Only the entries and removals of a tracker have a
   * source with a status, and two of them with one id are of two entries if their sources are two
   * feeds.
   */
  private record Identity(String source, String id) {
    static Identity of(Entry entry) {
      return of(entry.source(), entry.id());
    }

    static Identity of(Removal removal) {
      return of(removal.source(), removal.id());
    }

    private static Identity of(@Nullable Source source, String id) {
      Status status = source == null ? null : source.status();
      return new Identity(status == null ? "" : status.feed(), id);
    }
  }

  /**
   * An entry that is in several events is sent once, in the version of the last of them, in the
   * position where it was news last. An entry that was removed since is not sent.
   */
  private static List<Entry> entries(List<Event> events, Wanted wanted) {
    Map<Identity, Entry> newest = new HashMap<>();
    Map<Identity, Entry> news = new LinkedHashMap<>();
    for (Event event : events) {
      List<Entry> some = new ArrayList<>();
      for (Entry entry : event.update().feed().entries()) {
        newest.put(Identity.of(entry), entry);
        if (wanted.created) {
          some.add(entry);
        }
      }
      for (Entry entry : event.update().changed()) {
        newest.put(Identity.of(entry), entry);
        if (wanted.changed || (wanted.recent && isRecent(entry, event.at()))) {
          some.add(entry);
        }
      }
      if (wanted.newestFirst) {
        Collections.reverse(some);
      }
      some.forEach(entry -> putLast(news, entry));
      for (Removal removal : event.update().feed().removals()) {
        news.remove(Identity.of(removal));
      }
    }
    List<Entry> entries = new ArrayList<>();
    news.forEach((identity, entry) -> entries.add(newest.getOrDefault(identity, entry)));
    if (wanted.newestFirst) {
      Collections.reverse(entries);
    }
    return entries;
  }

  /** The removals after which the entry did not come back. */
  private static List<Removal> removals(List<Event> events) {
    Map<Identity, Removal> removals = new LinkedHashMap<>();
    for (Event event : events) {
      event.update().feed().entries().forEach(entry -> removals.remove(Identity.of(entry)));
      event.update().feed().removals().forEach(one -> removals.put(Identity.of(one), one));
    }
    return List.copyOf(removals.values());
  }

  private static void putLast(Map<Identity, Entry> news, Entry entry) {
    news.remove(Identity.of(entry));
    news.put(Identity.of(entry), entry);
  }

  private static boolean isRecent(Entry entry, Instant at) {
    return entry.updated() != null && entry.updated().isAfter(at.minus(RECENT));
  }
}
