package io.feedbridge.gateway.realfeeds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** Delivered documents, read by parsers that are not the gateway's. */
final class Documents {

  private static final String ATOM = "http://www.w3.org/2005/Atom";
  private static final String DC = "http://purl.org/dc/elements/1.1/";
  private static final String STATUS = "http://superfeedr.com/xmpp-pubsub-ext";

  private Documents() {}

  /**
   * What every format has of an entry; absent is empty.
   *
   * @param link the alternate
   */
  record Item(String id, String title, String link) {}

  /**
   * The entries of an Atom document that has what RFC 4287 requires and the status of the feed.
   *
   * @param feed what the status is to be of
   */
  static List<Item> atom(byte[] document, String feed) {
    Element root = parse(document);
    assertThat(root.getNamespaceURI()).isEqualTo(ATOM);
    assertThat(root.getLocalName()).isEqualTo("feed");
    assertRequired(root);
    List<Element> statuses = children(root, STATUS, "status");
    assertThat(statuses).hasSize(1);
    assertThat(statuses.get(0).getAttribute("feed")).isEqualTo(feed);
    assertThat(only(statuses.get(0), STATUS, "http").getAttribute("code")).isEqualTo("200");
    List<Item> items = new ArrayList<>();
    for (Element entry : children(root, ATOM, "entry")) {
      assertRequired(entry);
      items.add(
          new Item(
              sourceId(entry),
              only(entry, ATOM, "title").getTextContent(),
              children(entry, ATOM, "link").stream()
                  .filter(link -> Set.of("", "alternate").contains(link.getAttribute("rel")))
                  .map(link -> link.getAttribute("href"))
                  .findFirst()
                  .orElse("")));
    }
    return items;
  }

  /** The id that the source gave: an id that is no IRI stands beside the id of Atom. */
  private static String sourceId(Element entry) {
    String id = only(entry, ATOM, "id").getTextContent();
    return id.startsWith("urn:feedbridge:id:")
        ? children(entry, DC, "identifier").get(0).getTextContent()
        : id;
  }

  /** The items of a JSON document that has the status of the feed. */
  static List<Item> json(byte[] document, String feed) throws IOException {
    JsonNode root = new ObjectMapper().readTree(document);
    assertThat(root.path("status").path("feed").asText()).isEqualTo(feed);
    assertThat(root.path("status").path("code").asInt()).isEqualTo(200);
    List<Item> items = new ArrayList<>();
    for (JsonNode item : root.path("items")) {
      items.add(
          new Item(
              item.path("id").asText(),
              item.path("title").asText(),
              item.path("permalinkUrl").asText()));
    }
    return items;
  }

  /** RFC 4287 §4.1.1 and §4.1.2. */
  private static void assertRequired(Element element) {
    assertThat(only(element, ATOM, "id").getTextContent()).isNotBlank();
    only(element, ATOM, "title");
    assertThat(OffsetDateTime.parse(only(element, ATOM, "updated").getTextContent())).isNotNull();
    for (Element author : children(element, ATOM, "author")) {
      only(author, ATOM, "name");
    }
    for (Element link : children(element, ATOM, "link")) {
      assertThat(link.hasAttribute("href")).isTrue();
    }
    for (Element category : children(element, ATOM, "category")) {
      assertThat(category.hasAttribute("term")).isTrue();
    }
  }

  private static Element parse(byte[] document) {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setNamespaceAware(true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return factory
          .newDocumentBuilder()
          .parse(new ByteArrayInputStream(document))
          .getDocumentElement();
    } catch (SAXException | IOException | ParserConfigurationException e) {
      throw new AssertionError("not well-formed", e);
    }
  }

  private static Element only(Element parent, String namespace, String name) {
    List<Element> found = children(parent, namespace, name);
    assertThat(found).as("%s in %s", name, parent.getLocalName()).hasSize(1);
    return found.get(0);
  }

  private static List<Element> children(Element parent, String namespace, String name) {
    List<Element> found = new ArrayList<>();
    for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child instanceof Element element
          && namespace.equals(element.getNamespaceURI())
          && name.equals(element.getLocalName())) {
        found.add(element);
      }
    }
    return found;
  }
}
