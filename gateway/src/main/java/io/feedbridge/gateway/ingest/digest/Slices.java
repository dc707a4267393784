package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Cuts the news of a document into events of at most 100 entries and removals, or 1 MiB. */
final class Slices {

  /**
   * The most bytes of an event that the feed's own fields may take. Each event holds them, so that
   * long fields times many entries would fill the disk.
   */
  public static final int MAX_FIELDS = Document.MAX_BYTES / 8;

  private final Feed fields;
  private final Status status;
  private final int ownBytes;
  private final List<Update> slices = new ArrayList<>();
  private List<Entry> fresh = new ArrayList<>();
  private List<Entry> changed = new ArrayList<>();
  private List<Removal> removed = new ArrayList<>();
  private int bytes;
  private long allBytes;

  /**
   * The events that entries make.
   *
   * @param bytes of all of them without their status, as they are stored
   */
  record Cut(List<Update> updates, long bytes) {
    /** No events. */
    static final Cut NONE = new Cut(List.of(), 0);
  }

  private Slices(Feed fields, Status status) {
    this.fields = fields;
    this.status = status;
    ownBytes = Json.bytes(fields).length;
    bytes = ownBytes;
  }

  /** A feed's own fields without entries; where they are too long, only its id and title. */
  static Feed fields(Feed feed, String topic, @Nullable String title) {
    Feed fields = feed.withEntries(List.of()).withRemovals(List.of());
    return Json.bytes(fields).length <= MAX_FIELDS ? fields : Feed.bare(topic, title);
  }

  /**
   * The events, oldest first: feeds list their newest entry first, so the last entries of the
   * document make the first event. Within an event the document's order stays. That the bytes
   * changed is said by the last alone, with which all of them are there.
   *
   * @param fields as {@link #fields} bounds them
   */
  static Cut of(
      Feed fields,
      List<Entry> fresh,
      List<Entry> changed,
      List<Removal> removed,
      Status status,
      boolean bytesChanged) {
    Slices slices = new Slices(fields, status);
    for (int i = changed.size() - 1; i >= 0; i--) {
      slices.add(changed.get(i), false);
    }
    for (int i = fresh.size() - 1; i >= 0; i--) {
      slices.add(fresh.get(i), true);
    }
    removed.forEach(slices::add);
    slices.cut(bytesChanged);
    return new Cut(slices.slices, slices.allBytes);
  }

  private void add(Entry entry, boolean isNew) {
    makeRoom(Json.bytes(entry).length);
    (isNew ? fresh : changed).add(entry);
  }

  private void add(Removal removal) {
    makeRoom(Json.bytes(removal).length);
    removed.add(removal);
  }

  private void makeRoom(int size) {
    int count = fresh.size() + changed.size() + removed.size();
    if (count > 0 && (count >= Document.MAX_ENTRIES || bytes + size > Document.MAX_BYTES)) {
      cut(false);
    }
    bytes += size;
  }

  private void cut(boolean bytesChanged) {
    Collections.reverse(fresh);
    Collections.reverse(changed);
    allBytes += bytes;
    Feed feed = fields.withEntries(fresh).withRemovals(removed);
    slices.add(new Update(feed, changed, status, bytesChanged));
    fresh = new ArrayList<>();
    changed = new ArrayList<>();
    removed = new ArrayList<>();
    bytes = ownBytes;
  }
}
