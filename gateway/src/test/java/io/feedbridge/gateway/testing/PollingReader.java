package io.feedbridge.gateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rometools.rome.feed.synd.SyndEntry;
import com.rometools.rome.io.SyndFeedInput;
import com.rometools.rome.io.XmlReader;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * A reader that stores entries by their ids, of documents that it polled and of documents that were
 * pushed to it alike.
 */
public final class PollingReader {

  private static final String ATOM = "http://www.w3.org/2005/Atom";
  private static final String RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

  private final Rules rules;
  private final Map<String, Item> stored = new LinkedHashMap<>();

  public PollingReader(Rules rules) {
    this.rules = rules;
  }

  /** How a reader reads a document. */
  public enum Rules {
    /** Rome's, for the formats that Rome reads. */
    ROME {
      @Override
      List<Item> read(byte[] document) throws Exception {
        return new SyndFeedInput()
            .build(new XmlReader(new ByteArrayInputStream(document))).getEntries().stream()
                .map(PollingReader::item)
                .toList();
      }
    },
    /** Those of Python's feedparser, whose id is absent where the document has none. */
    FEEDPARSER {
      @Override
      List<Item> read(byte[] document) throws Exception {
        return document[0] == '{' ? json(document) : xml(document);
      }
    };

    abstract List<Item> read(byte[] document) throws Exception;
  }

  /** An entry as it is stored. */
  record Item(@Nullable String id, @Nullable String link, @Nullable String title) {
    String key() {
      return id != null ? id : link != null ? link : String.valueOf(title);
    }
  }

  /** Stores the entries of a document; one that is known takes the place of itself. */
  public PollingReader take(byte[] document) throws Exception {
    rules.read(document).forEach(item -> stored.put(item.key(), item));
    return this;
  }

  public List<Item> stored() {
    return List.copyOf(stored.values());
  }

  private static Item item(SyndEntry entry) {
    return new Item(entry.getUri(), entry.getLink(), entry.getTitle());
  }

  private static List<Item> json(byte[] document) throws Exception {
    List<Item> items = new ArrayList<>();
    for (JsonNode item : new ObjectMapper().readTree(document).path("items")) {
      items.add(
          new Item(
              item.path("id").asText(null),
              item.path("url").asText(null),
              item.path("title").asText(null)));
    }
    return items;
  }

  private static List<Item> xml(byte[] document) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    Element root =
        factory.newDocumentBuilder().parse(new ByteArrayInputStream(document)).getDocumentElement();
    List<Item> items = new ArrayList<>();
    for (String name : List.of("item", "entry")) {
      var found = root.getElementsByTagNameNS("*", name);
      for (int i = 0; i < found.getLength(); i++) {
        items.add(item((Element) found.item(i)));
      }
    }
    return items;
  }

  private static Item item(Element element) {
    String id = blankAsNull(element.getAttributeNS(RDF, "about"));
    String link = null;
    String title = null;
    String permalink = null;
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (!(node instanceof Element child)) {
        continue;
      }
      String text = child.getTextContent().strip();
      switch (child.getLocalName()) {
        case "guid" -> {
          id = text;
          permalink = child.getAttribute("isPermaLink").equals("false") ? null : text;
        }
        case "id" -> id = text;
        case "title" -> title = text;
        case "link" -> {
          boolean isAtom = ATOM.equals(child.getNamespaceURI());
          String rel = child.getAttribute("rel");
          if (!isAtom) {
            link = text;
          } else if (link == null && (rel.isEmpty() || rel.equals("alternate"))) {
            link = child.getAttribute("href");
          }
        }
        default -> {}
      }
    }
    return new Item(id, link == null ? permalink : link, title);
  }

  private static @Nullable String blankAsNull(String text) {
    return text.isBlank() ? null : text;
  }
}
