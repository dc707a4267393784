package io.feedbridge.rsscloud;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamException;

/**
 * The documents of SOAP 1.1, rpc/encoded. Read by local names whatever their namespaces and types,
 * because clients of all ages differ in both; references to parts that stand elsewhere in the body
 * are followed.
 */
final class Soap {

  private static final String SOAP_ENCODING = "http://schemas.xmlsoap.org/soap/encoding/";

  /** The names that an element without a namespace may have. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,254}");

  private Soap() {}

  /** Whether a procedure of that name can be called. */
  static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  static RpcCall call(XmlElement root) throws BadRpcException {
    List<XmlElement> parts = parts(root);
    XmlElement operation = operation(parts);
    Reader reader = new Reader(parts);
    List<RpcCall.Argument> arguments = new ArrayList<>();
    for (XmlElement argument : operation.children()) {
      arguments.add(new RpcCall.Argument(argument.name(), reader.value(argument, 0)));
    }
    return new RpcCall(operation.name(), arguments, operation.namespace());
  }

  static RpcAnswer answer(XmlElement root) throws BadRpcException {
    List<XmlElement> parts = parts(root);
    XmlElement operation = operation(parts);
    if (operation.name().equals("Fault")) {
      return new RpcAnswer.Fault(text(operation, "faultcode"), text(operation, "faultstring"));
    }
    if (operation.children().isEmpty()) {
      return new RpcAnswer.Result(new RpcValue.Nil());
    }
    return new RpcAnswer.Result(new Reader(parts).value(operation.children().get(0), 0));
  }

  private static String text(XmlElement fault, String name) {
    return fault.child(name).map(XmlElement::text).map(String::strip).orElse("");
  }

  /** The children of the body: the operation, and perhaps parts that the operation refers to. */
  private static List<XmlElement> parts(XmlElement root) throws BadRpcException {
    if (!root.name().equals("Envelope")) {
      throw new BadRpcException("the message is a " + root.quoted() + ", not a SOAP Envelope");
    }
    List<XmlElement> headers = root.child("Header").map(XmlElement::children).orElse(List.of());
    for (XmlElement header : headers) {
      if (header.attributes().getOrDefault("mustUnderstand", "0").strip().equals("1")) {
        throw new BadRpcException(
            RpcProtocol.Blame.MUST_UNDERSTAND,
            "the header " + header.quoted() + " is not understood");
      }
    }
    return root.required("Body").children();
  }

  private static XmlElement operation(List<XmlElement> parts) throws BadRpcException {
    return parts.stream()
        .filter(part -> !part.attributes().getOrDefault("root", "1").equals("0"))
        .findFirst()
        .orElseThrow(() -> new BadRpcException("the SOAP Body is empty"));
  }

  /** Reads values, and counts them: references can make many out of few. */
  private static final class Reader {

    private final Map<String, XmlElement> byId = new HashMap<>();
    private int values;

    Reader(List<XmlElement> parts) {
      for (XmlElement part : parts) {
        String id = part.attributes().get("id");
        if (id != null) {
          byId.put(id, part);
        }
      }
    }

    RpcValue value(XmlElement named, int depth) throws BadRpcException {
      if (++values > XmlElement.MAX_ELEMENTS || depth > XmlElement.MAX_DEPTH) {
        throw new BadRpcException("the message has too many values, or refers in circles");
      }
      String href = named.attributes().get("href");
      if (href != null) {
        XmlElement there = href.startsWith("#") ? byId.get(href.substring(1)) : null;
        if (there == null) {
          throw new BadRpcException("nothing in the message is " + WebUrl.quoted(href));
        }
        return value(there, depth + 1);
      }
      String nil = named.attributes().getOrDefault("nil", "");
      if (nil.equals("1") || nil.equals("true")) {
        return new RpcValue.Nil();
      }
      if (isArray(named)) {
        List<RpcValue> items = new ArrayList<>();
        for (XmlElement item : named.children()) {
          items.add(value(item, depth + 1));
        }
        return new RpcValue.Items(items);
      }
      if (named.children().isEmpty()) {
        return new RpcValue.Text(named.text());
      }
      Map<String, RpcValue> fields = new LinkedHashMap<>();
      for (XmlElement field : named.children()) {
        fields.put(field.name(), value(field, depth + 1));
      }
      return new RpcValue.Fields(fields);
    }

    /** Marked as one, or a row of elements of the same name. */
    private static boolean isArray(XmlElement element) {
      String type = element.attributes().getOrDefault("type", "");
      List<XmlElement> children = element.children();
      return element.attributes().containsKey("arrayType")
          || type.substring(type.indexOf(':') + 1).equals("Array")
          || (!children.isEmpty()
              && children.stream().allMatch(c -> c.name().equals(children.get(0).name())));
    }
  }

  /** A call whose procedure must be a {@link #isName name}. */
  static byte[] write(RpcCall call) {
    return envelope(
        out -> {
          begin(out, call.procedure(), call.namespace());
          int place = 0;
          for (RpcCall.Argument argument : call.arguments()) {
            place++;
            String name = argument.name().isEmpty() ? "param" + place : argument.name();
            write(out, name, argument.value());
          }
          out.end();
        });
  }

  static byte[] write(RpcCall call, RpcValue value) {
    return envelope(
        out -> {
          String name = isName(call.procedure()) ? call.procedure() : call.lastSegment();
          begin(out, name + "Response", "");
          write(out, "Result", value);
          out.end();
        });
  }

  static byte[] writeFault(RpcProtocol.Blame blame, String sentence) {
    String code =
        switch (blame) {
          case CLIENT -> "SOAP-ENV:Client";
          case SERVER -> "SOAP-ENV:Server";
          case MUST_UNDERSTAND -> "SOAP-ENV:MustUnderstand";
        };
    return envelope(
        out -> {
          out.start("SOAP-ENV:Fault");
          out.text("faultcode", code);
          out.text("faultstring", sentence);
          out.end();
        });
  }

  private static byte[] envelope(XmlOut.Content content) {
    return XmlOut.document(
        out -> {
          out.start("SOAP-ENV:Envelope");
          out.attribute("xmlns:SOAP-ENV", "http://schemas.xmlsoap.org/soap/envelope/");
          out.attribute("xmlns:SOAP-ENC", SOAP_ENCODING);
          out.attribute("xmlns:xsd", "http://www.w3.org/2001/XMLSchema");
          out.attribute("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
          out.attribute("SOAP-ENV:encodingStyle", SOAP_ENCODING);
          out.start("SOAP-ENV:Body");
          content.writeTo(out);
          out.end();
          out.end();
        });
  }

  /** The arguments of an operation have no namespace, whether the operation has one or not. */
  private static void begin(XmlOut out, String name, String namespace) throws XMLStreamException {
    if (!isName(name)) {
      throw new IllegalArgumentException("no element can be named like the procedure");
    }
    if (namespace.isEmpty()) {
      out.start(name);
    } else {
      out.start("m:" + name);
      out.attribute("xmlns:m", namespace);
    }
  }

  private static void write(XmlOut out, String name, RpcValue value) throws XMLStreamException {
    out.start(isName(name) ? name : "item");
    if (value instanceof RpcValue.Items items) {
      out.attribute("xsi:type", "SOAP-ENC:Array");
      out.attribute("SOAP-ENC:arrayType", itemType(items) + "[" + items.values().size() + "]");
      for (RpcValue item : items.values()) {
        write(out, "item", item);
      }
    } else if (value instanceof RpcValue.Fields fields) {
      for (Map.Entry<String, RpcValue> field : fields.values().entrySet()) {
        write(out, field.getKey(), field.getValue());
      }
    } else {
      Optional<String> type = type(value);
      out.attribute(type.isPresent() ? "xsi:type" : "xsi:nil", type.orElse("true"));
      out.text(value instanceof RpcValue.Binary b ? b.base64() : value.asText().orElse(""));
    }
    out.end();
  }

  private static String itemType(RpcValue.Items items) {
    boolean texts = items.values().stream().allMatch(RpcValue.Text.class::isInstance);
    return texts ? "xsd:string" : "xsd:anyType";
  }

  private static Optional<String> type(RpcValue value) {
    if (value instanceof RpcValue.Int whole) {
      boolean small = whole.number() == (int) whole.number();
      return Optional.of(small ? "xsd:int" : "xsd:long");
    }
    if (value instanceof RpcValue.Bool) {
      return Optional.of("xsd:boolean");
    }
    if (value instanceof RpcValue.Real) {
      return Optional.of("xsd:double");
    }
    if (value instanceof RpcValue.Time) {
      return Optional.of("xsd:dateTime");
    }
    if (value instanceof RpcValue.Binary) {
      return Optional.of("xsd:base64Binary");
    }
    return value instanceof RpcValue.Nil ? Optional.empty() : Optional.of("xsd:string");
  }
}
