package io.feedbridge.gateway.check;

import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.upstream.Transport;
import io.feedbridge.normalizer.FeedFamily;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The findings about the document itself. */
final class Document {

  private static final int MAX_REPAIRS = 3;

  private final Findings findings;
  private final OwnPush own;
  private final String hub;

  /**
   * Of one check.
   *
   * @param own the gateway's own hub and cloud
   */
  Document(Findings findings, OwnPush own) {
    this.findings = findings;
    this.own = own;
    hub = own.hub();
  }

  /**
   * Notes the findings.
   *
   * @return whether it is a feed that names a hub or a cloud
   */
  boolean read(String url, FirstLook.Finding found, List<Transport> ways) {
    String problem = found.answer().problem();
    if (problem != null) {
      findings.problem(
          "read",
          Findings.FEED,
          "The feed cannot be read: " + problem + ".",
          found.answer().retryAfter() == null
              ? "Make the URL answer with the feed, status 200, without a login."
              : "Check again after the pause that the server asks for (Retry-After).");
      return false;
    }
    if (found.document().kind() != FeedKind.FEED) {
      findings.problem(
          "read",
          Findings.FEED,
          "The document is no feed, and leads to none.",
          "Check the URL of the feed itself, or put <link rel=\"alternate\""
              + " type=\"application/rss+xml\" href=\"…\"> into the page.");
      return false;
    }
    int entries = found.document().entries();
    findings.ok(
        "read",
        Findings.FEED,
        "The feed can be read: %d %s, %,d bytes."
            .formatted(entries, entries == 1 ? "entry" : "entries", found.document().bytes()));
    notes(url, found);
    Program.of(found.answer().url(), found.document().generator())
        .ifPresent(program -> program.note(findings));
    return push(url, found, ways);
  }

  private void notes(String url, FirstLook.Finding found) {
    String at = found.answer().url();
    if (!at.equals(url)) {
      findings.note(
          "moved", Findings.FEED, "The feed is at " + at + ".", "Give readers and hubs that URL.");
    }
    List<String> repairs = found.document().repairs();
    if (!repairs.isEmpty()) {
      findings.note(
          "repairs",
          Findings.FEED,
          "The document is broken, and was repaired: "
              + String.join("; ", repairs.stream().limit(MAX_REPAIRS).toList())
              + ".",
          "Other readers may not repair it: make the document well-formed.");
    }
    // The gateway reads its own feeds within the process, where they need no validators.
    if (!own.is(at)
        && found.document().validators().etag() == null
        && found.document().validators().lastModified() == null) {
      findings.note(
          "validators",
          Findings.FEED,
          "The server sends neither ETag nor Last-Modified.",
          "With one of them an unchanged feed costs your server no bytes.");
    }
  }

  private boolean push(String url, FirstLook.Finding found, List<Transport> ways) {
    if (ways.isEmpty()) {
      findings.problem(
          "push",
          Findings.FEED,
          "The feed names no hub and no cloud, so that readers must poll it.",
          "Put "
              + link(found.document().family(), "hub", hub)
              + " Then ping the hub each time that the feed has changed.");
      return false;
    }
    String self = found.advertised().self();
    if (found.advertised().hubs().isEmpty()) {
      return true;
    }
    if (self == null) {
      findings.note(
          "self",
          Findings.FEED,
          "The feed does not name its own URL.",
          "Put "
              + link(found.document().family(), "self", url)
              + " Subscribers and pings must name the same URL.");
    } else if (!Objects.equals(self, url)) {
      findings.note(
          "self",
          Findings.FEED,
          "The feed names another URL as its own: " + self + ".",
          "Ping the hub with that URL, or correct rel=\"self\".");
    }
    return true;
  }

  /** A link as the feed's own format writes it, and its place. */
  private static String link(@Nullable FeedFamily family, String rel, String url) {
    if (family == null || family == FeedFamily.OPML) {
      return "Link: <%s>; rel=\"%s\" among the header fields of the answer.".formatted(url, rel);
    }
    String link = "link rel=\"%s\" href=\"%s\"/>".formatted(rel, url);
    String atom = "xmlns:atom=\"http://www.w3.org/2005/Atom\"";
    return switch (family) {
      case RSS -> "<atom:%s into channel, and %s into rss.".formatted(link, atom);
      case RDF -> "<atom:%s into channel, and %s into rdf:RDF.".formatted(link, atom);
      case ATOM, OPML -> "<%s into feed.".formatted(link);
      case JSON_FEED ->
          rel.equals("hub")
              ? "\"hubs\": [{\"type\": \"WebSub\", \"url\": \"%s\"}] into the feed.".formatted(url)
              : "\"feed_url\": \"%s\" into the feed.".formatted(url);
    };
  }
}
