package io.feedbridge.rsscloud;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.util.Set;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import org.codehaus.stax2.XMLStreamReader2;
import org.codehaus.stax2.XMLStreamWriter2;

/**
 * The subscription links that a cloud puts into a feed that it stores: hub and self links, {@code
 * <cloud>} and {@code <source:cloud>}. They replace the links and elements of these kinds that the
 * text came with.
 *
 * @param self the URL at which the feed is served
 * @param hub a WebSub hub that serves the feed
 * @param registration the URL to POST pleaseNotify to, absolute http or https
 */
public record CloudOffer(String self, String hub, URI registration) {

  /** The most bytes of a text that is saved. */
  public static final int MAX_BYTES = 1024 * 1024;

  private static final String ATOM = "http://www.w3.org/2005/Atom";
  private static final String SOURCE = "https://source.scripting.com/";
  private static final Set<String> OFFERS = Set.of("hub", "self");
  private static final String HTML = "html";
  private static final String IS_HTML = "the text is an HTML page, not an RSS document";

  /** Depth of the root element is 1. */
  private static final int CHANNEL_DEPTH = 2;

  /**
   * The document with this offer. The rest of the document stays as it was written, except that
   * processing instructions (which make browsers run the author's code) and comments outside of the
   * root are removed.
   *
   * @return the document in UTF-8
   * @throws BadRssException if the text is no RSS document, is too long, or has a DTD
   */
  public byte[] in(byte[] rss) throws BadRssException {
    if (rss.length > MAX_BYTES) {
      throw new BadRssException("the text is longer than " + MAX_BYTES + " bytes");
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(rss.length + 1024);
    try {
      XMLStreamReader2 reader = (XMLStreamReader2) SafeXml.read(rss, MAX_BYTES);
      XMLStreamWriter2 writer = XmlOut.copier(out);
      try {
        writer.writeStartDocument("UTF-8", "1.0");
        new Copy(reader, writer).all();
        writer.writeEndDocument();
        // Not after a failure: to close an unfinished document fails too, and would hide the
        // reason.
        writer.close();
      } finally {
        reader.close();
      }
    } catch (XMLStreamException e) {
      throw new BadRssException("the text is not well-formed XML");
    }
    return out.toByteArray();
  }

  private void write(XMLStreamWriter2 out) throws XMLStreamException {
    for (String[] link : new String[][] {{"hub", hub}, {"self", self}}) {
      out.writeEmptyElement("atom", "link", ATOM);
      out.writeNamespace("atom", ATOM);
      out.writeAttribute("rel", link[0]);
      out.writeAttribute("href", link[1]);
    }
    boolean https = "https".equalsIgnoreCase(registration.getScheme());
    int ownPort = https ? WebUrl.HTTPS_PORT : WebUrl.HTTP_PORT;
    CloudProtocol protocol = https ? CloudProtocol.HTTPS_POST : CloudProtocol.HTTP_POST;
    int port = registration.getPort() < 0 ? ownPort : registration.getPort();
    out.writeEmptyElement("cloud");
    out.writeAttribute("domain", registration.getHost());
    out.writeAttribute("port", Integer.toString(port));
    out.writeAttribute("path", registration.getRawPath());
    out.writeAttribute("registerProcedure", "");
    out.writeAttribute("protocol", protocol.wireName());
    out.writeStartElement("source", "cloud", SOURCE);
    out.writeNamespace("source", SOURCE);
    out.writeCharacters(registration.toString());
    out.writeEndElement();
  }

  /** One pass over a document. */
  private final class Copy {

    private final XMLStreamReader2 in;
    private final XMLStreamWriter2 out;
    private int depth;
    private boolean offered;

    Copy(XMLStreamReader2 in, XMLStreamWriter2 out) {
      this.in = in;
      this.out = out;
    }

    void all() throws XMLStreamException, BadRssException {
      while (in.hasNext()) {
        switch (in.next()) {
          case XMLStreamConstants.DTD -> throw new BadRssException(objectionToType());
          case XMLStreamConstants.ENTITY_REFERENCE ->
              throw new BadRssException("the text refers to an entity that is not XML's own");
          case XMLStreamConstants.START_ELEMENT -> start();
          case XMLStreamConstants.END_ELEMENT -> {
            depth--;
            out.copyEventFromReader(in, false);
          }
          case XMLStreamConstants.CHARACTERS,
              XMLStreamConstants.CDATA,
              XMLStreamConstants.SPACE,
              XMLStreamConstants.COMMENT -> {
            if (depth > 0) {
              out.copyEventFromReader(in, false);
            }
          }
          default -> {}
        }
      }
      if (!offered) {
        throw new BadRssException("the text is not an RSS document: it has no rss with a channel");
      }
    }

    private String objectionToType() throws XMLStreamException {
      String root = in.getDTDInfo().getDTDRootName();
      return HTML.equalsIgnoreCase(root)
          ? IS_HTML
          : "the text must not have a document type declaration";
    }

    private void start() throws XMLStreamException, BadRssException {
      if (depth == 0 && in.getLocalName().equalsIgnoreCase(HTML)) {
        throw new BadRssException(IS_HTML);
      }
      if (depth == 0 && !in.getLocalName().equals("rss")) {
        throw new BadRssException(
            "the text is not an RSS document: its root is " + WebUrl.quoted(in.getLocalName()));
      }
      if (depth == CHANNEL_DEPTH && isOffer()) {
        in.skipElement();
        return;
      }
      depth++;
      out.copyEventFromReader(in, false);
      if (depth == CHANNEL_DEPTH && !offered && in.getLocalName().equals("channel")) {
        offered = true;
        write(out);
      }
    }

    private boolean isOffer() {
      String rel = in.getAttributeValue(null, "rel");
      return in.getLocalName().equals("cloud")
          || (in.getLocalName().equals("link")
              && ATOM.equals(in.getNamespaceURI())
              && rel != null
              && OFFERS.contains(rel));
    }
  }
}
