package io.feedbridge.gateway.check;

import io.feedbridge.gateway.check.FeedCheck.Finding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The findings of one check, of which a later one may replace an earlier one. Thread-safe. */
final class Findings {

  /** The subject of findings about the document. */
  static final String FEED = "feed";

  /** Guarded by this. */
  private final Map<String, Finding> all = new LinkedHashMap<>();

  /** A finding in the place of the key, or at the end. */
  synchronized void put(String key, Finding finding) {
    all.put(key, finding);
  }

  void ok(String key, String subject, String text) {
    put(key, new Finding(subject, FeedCheck.OK, text, ""));
  }

  void note(String key, String subject, String text, String advice) {
    put(key, new Finding(subject, FeedCheck.NOTE, text, advice));
  }

  void problem(String key, String subject, String text, String advice) {
    put(key, new Finding(subject, FeedCheck.PROBLEM, text, advice));
  }

  void waiting(String key, String subject, String text, String advice) {
    put(key, new Finding(subject, FeedCheck.WAITING, text, advice));
  }

  synchronized List<Finding> list() {
    return List.copyOf(all.values());
  }

  synchronized boolean has(String result) {
    return all.values().stream().anyMatch(one -> one.result().equals(result));
  }
}
