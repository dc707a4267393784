package io.feedbridge.rsscloud;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Finds the cloud that an RSS document names in its channel, before its items or behind them, or
 * that an OPML list names in its head. Documents that break off or are ill-formed count as far as
 * they can be read.
 */
public final class CloudDiscovery {

  /** Bytes of a document that are read at most. */
  public static final int MAX_BYTES = 16 * 1024 * 1024;

  /** Each one in scope costs a comparison for every prefixed element. */
  private static final int MAX_NAMESPACES_IN_SCOPE = 256;

  private static final Set<String> SOURCE_NAMESPACES =
      Set.of("https://source.scripting.com/", "http://source.smallpict.com/2014/07/12");

  private static final int ROOT_DEPTH = 1;
  private static final int CHANNEL_DEPTH = 2;

  private static final int CLOUD_DEPTH = 3;

  /** White space around the URL included. */
  private static final int MAX_TEXT_LENGTH = 2 * RssCloud.MAX_URL_LENGTH;

  private final XMLStreamReader reader;
  private int depth;
  private int namespacesInScope;

  /** Atom has no clouds, and is mostly long. */
  private boolean isAtom;

  private boolean isList;

  private boolean inChannel;
  private @Nullable String channelNamespace;
  private @Nullable StringBuilder sourceText;
  private @Nullable SourceCloud source;
  private @Nullable CloudElement element;

  private CloudDiscovery(XMLStreamReader reader) {
    this.reader = reader;
  }

  /**
   * The endpoint to register at: the first of {@link #all}.
   *
   * @return empty if the document is neither RSS nor OPML, or names no cloud that makes a URL
   */
  public static Optional<CloudEndpoint> find(byte[] feedBytes) {
    return all(feedBytes).stream().findFirst();
  }

  /**
   * The endpoints that can be registered at, in the order in which to try them: a valid {@code
   * source:cloud} wins over {@code <cloud>}; of several {@code <cloud>}s it is the first that this
   * package can register at, else the first.
   *
   * @return empty if the document is neither RSS nor OPML, or names no cloud that makes a URL
   */
  public static List<CloudEndpoint> all(byte[] feedBytes) {
    try {
      XMLStreamReader reader = SafeXml.read(feedBytes, MAX_BYTES);
      try {
        CloudDiscovery discovery = new CloudDiscovery(reader);
        discovery.scan();
        return discovery.found();
      } finally {
        reader.close();
      }
    } catch (XMLStreamException noXml) {
      return List.of();
    }
  }

  private List<CloudEndpoint> found() {
    return Stream.<Optional<? extends CloudEndpoint>>of(
            Optional.ofNullable(source), Optional.ofNullable(element))
        .<CloudEndpoint>flatMap(Optional::stream)
        .toList();
  }

  private void scan() {
    try {
      while (!isAtom && (source == null || element == null) && reader.hasNext()) {
        switch (reader.next()) {
          case XMLStreamConstants.START_ELEMENT -> start();
          case XMLStreamConstants.END_ELEMENT -> end();
          case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> text();
          default -> {}
        }
      }
    } catch (XMLStreamException illFormedFromHere) {
      // The clouds that were found before the error are kept.
    }
  }

  private void start() throws XMLStreamException {
    depth++;
    namespacesInScope += reader.getNamespaceCount();
    if (namespacesInScope > MAX_NAMESPACES_IN_SCOPE) {
      throw new XMLStreamException("too many namespaces");
    }
    String name = reader.getLocalName();
    if (depth == ROOT_DEPTH) {
      isAtom = name.equals("feed");
      isList = name.equals("opml");
    } else if (depth == CHANNEL_DEPTH) {
      inChannel = name.equals(isList ? "head" : "channel");
      channelNamespace = reader.getNamespaceURI();
    } else if (inChannel && depth == CLOUD_DEPTH && name.equals("cloud")) {
      String namespace = reader.getNamespaceURI();
      if (namespace != null && SOURCE_NAMESPACES.contains(namespace)) {
        sourceText = new StringBuilder();
      } else if (isOfRss(namespace)) {
        keep(attributes());
      }
    }
  }

  /** RSS 2.0 has no namespace, but some documents put all of it into one of their own. */
  private boolean isOfRss(@Nullable String namespace) {
    return namespace == null || namespace.isEmpty() || namespace.equals(channelNamespace);
  }

  private void end() {
    if (sourceText != null && depth == CLOUD_DEPTH) {
      source = source != null ? source : SourceCloud.parse(sourceText.toString()).orElse(null);
      sourceText = null;
    }
    namespacesInScope -= reader.getNamespaceCount();
    depth--;
    inChannel &= depth >= CHANNEL_DEPTH;
  }

  private void text() {
    if (sourceText != null && depth == CLOUD_DEPTH && sourceText.length() <= MAX_TEXT_LENGTH) {
      sourceText.append(reader.getText());
    }
  }

  private Optional<CloudElement> attributes() {
    return CloudElement.parse(
        reader.getAttributeValue(null, "domain"),
        reader.getAttributeValue(null, "port"),
        reader.getAttributeValue(null, "path"),
        reader.getAttributeValue(null, "registerProcedure"),
        reader.getAttributeValue(null, "protocol"));
  }

  private void keep(Optional<CloudElement> candidate) {
    CloudElement kept = element;
    if (candidate.isPresent()
        && (kept == null || (!kept.isRegistrable() && candidate.get().isRegistrable()))) {
      element = candidate.get();
    }
  }
}
