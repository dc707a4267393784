package io.feedbridge.rsscloud;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * A small XML document in memory: found by local names, since the protocols that are read from it
 * are spoken with and without namespaces.
 *
 * @param namespace empty where the name has none
 * @param name the local name
 * @param attributes by their local names; namespace declarations are not among them
 * @param text all character data directly in it
 */
record XmlElement(
    String namespace,
    String name,
    Map<String, String> attributes,
    List<XmlElement> children,
    String text) {

  /** A call of 1,000 URLs can be read, and refused for that. */
  static final int MAX_ELEMENTS = 10_000;

  static final int MAX_DEPTH = 50;

  /** Each one in scope costs a comparison for every prefixed element. */
  private static final int MAX_NAMESPACES_IN_SCOPE = 256;

  private static final Pattern CHARSET =
      Pattern.compile(";\\s*charset\\s*=\\s*\"?([^\\s\";]+)", Pattern.CASE_INSENSITIVE);

  /** The first child of that name. */
  Optional<XmlElement> child(String childName) {
    return children.stream().filter(child -> child.name.equals(childName)).findFirst();
  }

  /** The first child of that name, which must be there. */
  XmlElement required(String childName) throws BadRpcException {
    return child(childName)
        .orElseThrow(() -> new BadRpcException("there is no " + childName + " in " + quoted()));
  }

  /** Its name, fit for a message. */
  String quoted() {
    return WebUrl.quoted(name);
  }

  /**
   * Reads a document to its end.
   *
   * @param contentType the HTTP header, whose charset counts more than the prolog's and less than a
   *     byte order mark (RFC 7303 §3); null if there is none
   * @throws BadRpcException if it is no XML, has a DTD or breaks a bound
   */
  static XmlElement read(byte[] body, @Nullable String contentType) throws BadRpcException {
    if (body.length > RpcProtocol.MAX_BYTES) {
      throw new BadRpcException("the message is longer than " + RpcProtocol.MAX_BYTES + " bytes");
    }
    if (SafeXml.start(body) == body.length) {
      throw new BadRpcException("the message is empty");
    }
    try {
      XMLStreamReader reader =
          SafeXml.read(body, RpcProtocol.MAX_BYTES, charset(body, contentType));
      try {
        return read(reader);
      } finally {
        reader.close();
      }
    } catch (XMLStreamException e) {
      throw new BadRpcException(
          "the message is not well-formed XML: line %d, column %d"
              .formatted(e.getLocation() == null ? 1 : e.getLocation().getLineNumber(), column(e)));
    }
  }

  private static int column(XMLStreamException e) {
    return e.getLocation() == null ? 1 : e.getLocation().getColumnNumber();
  }

  private static XmlElement read(XMLStreamReader reader)
      throws XMLStreamException, BadRpcException {
    Deque<Open> open = new ArrayDeque<>();
    XmlElement root = null;
    int elements = 0;
    int namespacesInScope = 0;
    while (reader.hasNext()) {
      switch (reader.next()) {
        case XMLStreamConstants.DTD ->
            throw new BadRpcException("the message must not have a document type declaration");
        case XMLStreamConstants.ENTITY_REFERENCE ->
            throw new BadRpcException("the message refers to an entity that is not XML's own");
        case XMLStreamConstants.START_ELEMENT -> {
          namespacesInScope += reader.getNamespaceCount();
          if (++elements > MAX_ELEMENTS) {
            throw new BadRpcException("the message has more than " + MAX_ELEMENTS + " elements");
          }
          if (open.size() == MAX_DEPTH || namespacesInScope > MAX_NAMESPACES_IN_SCOPE) {
            throw new BadRpcException(
                "the message is nested deeper than "
                    + MAX_DEPTH
                    + " elements, or has more than "
                    + MAX_NAMESPACES_IN_SCOPE
                    + " namespaces");
          }
          open.push(Open.at(reader));
        }
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE -> {
          if (!open.isEmpty()) {
            open.peek().text.append(reader.getText());
          }
        }
        case XMLStreamConstants.END_ELEMENT -> {
          namespacesInScope -= reader.getNamespaceCount();
          XmlElement closed = open.pop().closed();
          if (open.isEmpty()) {
            root = closed;
          } else {
            open.peek().children.add(closed);
          }
        }
        default -> {}
      }
    }
    if (root == null) {
      throw new BadRpcException("the message has no root element");
    }
    return root;
  }

  /** An element that has not ended yet. */
  private record Open(
      String namespace,
      String name,
      Map<String, String> attributes,
      List<XmlElement> children,
      StringBuilder text) {

    static Open at(XMLStreamReader reader) {
      Map<String, String> attributes = Map.of();
      if (reader.getAttributeCount() > 0) {
        attributes = new HashMap<>();
        for (int i = 0; i < reader.getAttributeCount(); i++) {
          attributes.put(reader.getAttributeLocalName(i), reader.getAttributeValue(i));
        }
      }
      return new Open(
          Objects.requireNonNullElse(reader.getNamespaceURI(), ""),
          reader.getLocalName(),
          attributes,
          new ArrayList<>(),
          new StringBuilder());
    }

    XmlElement closed() {
      return new XmlElement(namespace, name, attributes, children, text.toString());
    }
  }

  /** Null where the document is to say it itself. */
  private static @Nullable String charset(byte[] body, @Nullable String contentType) {
    if (contentType == null || hasByteOrderMark(body)) {
      return null;
    }
    Matcher matcher = CHARSET.matcher(contentType);
    if (!matcher.find()) {
      return null;
    }
    try {
      Charset charset = Charset.forName(matcher.group(1));
      // The JDK's US-ASCII decoder rejects the bytes beyond ASCII that senders put under that name.
      return charset.equals(StandardCharsets.US_ASCII) ? null : charset.name();
    } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
      return null;
    }
  }

  private static boolean hasByteOrderMark(byte[] body) {
    int first = body.length < 2 ? 0 : (body[0] & 0xff) << 8 | (body[1] & 0xff);
    return first == 0xfeff || first == 0xfffe || first == 0xefbb;
  }
}
