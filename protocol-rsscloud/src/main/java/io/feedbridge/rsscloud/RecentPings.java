package io.feedbridge.rsscloud;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.xml.stream.XMLStreamException;

/**
 * {@code changes.xml}: the sites that pinged lately, as ping services publish them.
 *
 * @param updated the time of the list, from which the ages of the pings are counted
 * @param count the number of all pings that the service ever received; in the archive of an hour,
 *     the number of pings in that hour
 * @param weblogs the newest first
 */
public record RecentPings(Instant updated, long count, List<Weblog> weblogs) {

  private static final DateTimeFormatter RFC_1123 =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** Copies the list. */
  public RecentPings {
    weblogs = List.copyOf(weblogs);
  }

  /**
   * A site that pinged.
   *
   * @param name as it named itself
   * @param url as it named itself
   * @param feed the feed that the ping was for, where the service knows it
   * @param at when, not after {@link RecentPings#updated}
   */
  public record Weblog(String name, String url, Optional<String> feed, Instant at) {}

  /** The document, in UTF-8; to be sent as {@link RpcProtocol#CONTENT_TYPE}. */
  public byte[] toXml() {
    return XmlOut.document(
        out -> {
          out.start("weblogUpdates");
          out.attribute("version", "2");
          out.attribute("updated", RFC_1123.format(updated));
          out.attribute("count", Long.toString(count));
          for (Weblog weblog : weblogs) {
            write(out, weblog);
          }
          out.end();
        });
  }

  private void write(XmlOut out, Weblog weblog) throws XMLStreamException {
    out.start("weblog");
    out.attribute("name", weblog.name);
    out.attribute("url", weblog.url);
    if (weblog.feed.isPresent()) {
      out.attribute("rssUrl", weblog.feed.get());
    }
    long minutes = Math.max(0, Duration.between(weblog.at, updated).toMinutes());
    out.attribute("when", Long.toString(minutes));
    out.end();
  }
}
