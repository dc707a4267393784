package io.feedbridge.normalizer;

import java.util.Locale;
import javax.xml.stream.XMLStreamWriter;

/** The namespaces of a written RSS document; all of them are declared on its root. */
enum RssNamespace {
  ATOM(AtomElements.ATOM),
  CONTENT("http://purl.org/rss/1.0/modules/content/"),
  DC("http://purl.org/dc/elements/1.1/"),
  GEORSS(AtomElements.GEORSS),
  ITUNES("http://www.itunes.com/dtds/podcast-1.0.dtd"),
  MEDIA("http://search.yahoo.com/mrss/"),
  SOURCE("https://source.scripting.com/"),
  SY("http://purl.org/rss/1.0/modules/syndication/"),
  WFW("http://wellformedweb.org/CommentAPI/"),
  AS(AtomElements.ACTIVITY);

  private final String uri;

  RssNamespace(String uri) {
    this.uri = uri;
  }

  String uri() {
    return uri;
  }

  String prefix() {
    return name().toLowerCase(Locale.ROOT);
  }

  XmlOut to(XMLStreamWriter xml) {
    return new XmlOut(xml, prefix(), uri);
  }
}
