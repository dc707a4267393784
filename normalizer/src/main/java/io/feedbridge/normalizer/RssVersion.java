package io.feedbridge.normalizer;

import javax.xml.stream.XMLStreamWriter;

/** The versions of RSS that are written. */
enum RssVersion {
  /** In RDF. Fields without a core element stand in modules: dc, atom, media. */
  ONE("http://purl.org/rss/1.0/", "application/rdf+xml"),
  TWO("", "application/rss+xml");

  private final String namespace;
  private final String mediaType;

  RssVersion(String namespace, String mediaType) {
    this.namespace = namespace;
    this.mediaType = mediaType;
  }

  /** Of the core elements; empty for none. */
  String namespace() {
    return namespace;
  }

  String mediaType() {
    return mediaType;
  }

  XmlOut to(XMLStreamWriter xml) {
    return new XmlOut(xml, "", namespace);
  }
}
