package io.feedbridge.normalizer;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/** The schema's {@code status} element, in Superfeedr's namespace, in a document of any format. */
final class StatusElement {
  static final String NAMESPACE = "http://superfeedr.com/xmpp-pubsub-ext";

  private final XMLStreamWriter xml;

  StatusElement(XMLStreamWriter xml) {
    this.xml = xml;
  }

  void write(Status status) throws XMLStreamException {
    XmlOut out = new XmlOut(xml, "", NAMESPACE);
    out.start("status");
    xml.writeDefaultNamespace(NAMESPACE);
    out.attribute("feed", status.feed());
    out.text("title", status.title());
    Integer code = status.code();
    if (code != null || status.http() != null) {
      out.start("http");
      out.attribute("code", code == null ? null : code.toString());
      out.characters(status.http());
      out.end();
    }
    out.date("next_fetch", seconds(status.nextFetch()));
    out.number("period", status.period());
    out.date("last_fetch", seconds(status.lastFetch()));
    out.date("last_parse", seconds(status.lastParse()));
    out.date("last_maintenance_at", seconds(status.lastMaintenanceAt()));
    out.number("entries_count_since_last_maintenance", status.entriesCountSinceLastMaintenance());
    out.number("velocity", status.velocity());
    out.number("popularity", status.popularity());
    out.number("bozo_rank", status.bozoRank());
    if (Boolean.TRUE.equals(status.generatedIds())) {
      out.text("generated_ids", "true");
    }
    out.end();
  }

  /** The gateway's own times are written in seconds, and a document's times as it has them. */
  private static @Nullable Instant seconds(@Nullable Instant time) {
    return time == null ? null : time.truncatedTo(ChronoUnit.SECONDS);
  }
}
