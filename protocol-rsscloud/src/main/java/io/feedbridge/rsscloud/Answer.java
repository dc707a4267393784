package io.feedbridge.rsscloud;

import com.ctc.wstx.stax.WstxOutputFactory;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Set;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;

/**
 * The common form of {@link NotifyResult} and {@link PingResult}: one element, or one object, with
 * {@code success} and {@code msg}. The factories do not change after they are made and may be used
 * by many threads.
 */
record Answer(boolean success, String msg) {

  /** Fits the longest answer that a cloud of this package writes. */
  static final int MAX_BYTES = 512 * 1024;

  /** Characters of a received {@code msg} that are kept. */
  static final int MAX_MSG_LENGTH = 4096;

  private static final Set<String> ELEMENTS = Set.of("notifyResult", "result");

  private static final XMLOutputFactory XML = new WstxOutputFactory();
  private static final JsonFactory JSON = new JsonFactory();

  String toXml(String element) {
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter writer = XML.createXMLStreamWriter(text);
      writer.writeStartDocument("UTF-8", "1.0");
      writer.writeEmptyElement(element);
      writer.writeAttribute("success", Boolean.toString(success));
      writer.writeAttribute("msg", XmlText.sendable(msg));
      writer.writeEndDocument();
      writer.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("writing to memory failed", e);
    }
    return text.toString();
  }

  String toJson() {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = JSON.createGenerator(text)) {
      generator.writeStartObject();
      generator.writeBooleanField("success", success);
      generator.writeStringField("msg", XmlText.sendable(msg));
      generator.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory failed", e);
    }
    return text.toString();
  }

  static Answer parse(byte[] body) throws BadResultException {
    if (body.length > MAX_BYTES) {
      throw new BadResultException("the answer is longer than " + MAX_BYTES + " bytes");
    }
    int start = SafeXml.start(body);
    if (start == body.length) {
      throw new BadResultException("the answer is empty");
    }
    Answer answer = body[start] == '{' ? parseJson(body) : parseXml(body);
    return new Answer(answer.success, shortened(answer.msg));
  }

  /** Reads the root element only, so that nothing behind it can spoil an answer. */
  private static Answer parseXml(byte[] body) throws BadResultException {
    try {
      XMLStreamReader reader = SafeXml.read(body, MAX_BYTES);
      try {
        while (!reader.isStartElement() && reader.hasNext()) {
          reader.next();
        }
        String name = reader.isStartElement() ? reader.getLocalName() : "";
        String success = ELEMENTS.contains(name) ? reader.getAttributeValue(null, "success") : null;
        if (success == null) {
          throw new BadResultException("the answer has no notifyResult with success as its root");
        }
        String msg = reader.getAttributeValue(null, "msg");
        return new Answer(isTrue(success), msg == null ? "" : msg);
      } finally {
        reader.close();
      }
    } catch (XMLStreamException e) {
      throw new BadResultException("the answer is not XML, nor a JSON object");
    }
  }

  private static Answer parseJson(byte[] body) throws BadResultException {
    String success = null;
    String msg = "";
    try (JsonParser parser = JSON.createParser(body)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        if (!parser.nextToken().isScalarValue()) {
          parser.skipChildren();
        } else if (name.equals("success")) {
          success = parser.getText();
        } else if (name.equals("msg")) {
          msg = parser.getText();
        }
      }
    } catch (IOException e) {
      throw new BadResultException("the answer is not well-formed JSON");
    }
    if (success == null) {
      throw new BadResultException("the answer has no success");
    }
    return new Answer(isTrue(success), msg);
  }

  private static boolean isTrue(String text) {
    String word = text.strip();
    return word.equalsIgnoreCase("true") || word.equals("1");
  }

  private static String shortened(String text) {
    return text.length() <= MAX_MSG_LENGTH ? text : text.substring(0, MAX_MSG_LENGTH);
  }
}
