package io.feedbridge.rsscloud;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamException;

/** The documents of XML-RPC. */
final class XmlRpc {

  /** "Faults: code 4", as Frontier sent for whatever went wrong, and clients expect. */
  private static final int FAULT_CODE = 4;

  private static final Pattern INTEGER = Pattern.compile("[+-]?\\d{1,19}");
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(\\d{1,400}(\\.\\d{0,400})?|\\.\\d{1,400})([eE][+-]?\\d{1,3})?");

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.:/]{1,255}");

  private XmlRpc() {}

  /** Whether a procedure of that name can be called. */
  static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  static RpcCall call(XmlElement root) throws BadRpcException {
    if (!root.name().equals("methodCall")) {
      throw new BadRpcException("the message is a " + root.quoted() + ", not a methodCall");
    }
    String name = root.required("methodName").text().strip();
    if (name.isEmpty()) {
      throw new BadRpcException("the methodName is empty");
    }
    List<RpcCall.Argument> arguments = new ArrayList<>();
    for (RpcValue value : params(root)) {
      arguments.add(new RpcCall.Argument("", value));
    }
    return new RpcCall(name, arguments);
  }

  static RpcAnswer answer(XmlElement root) throws BadRpcException {
    if (!root.name().equals("methodResponse")) {
      throw new BadRpcException("the message is a " + root.quoted() + ", not a methodResponse");
    }
    Optional<XmlElement> fault = root.child("fault");
    if (fault.isPresent()) {
      RpcValue value = value(fault.get().required("value"));
      Map<String, RpcValue> fields =
          value instanceof RpcValue.Fields struct ? struct.values() : Map.of();
      return new RpcAnswer.Fault(text(fields, "faultCode"), text(fields, "faultString"));
    }
    List<RpcValue> values = params(root);
    return new RpcAnswer.Result(values.isEmpty() ? new RpcValue.Nil() : values.get(0));
  }

  private static String text(Map<String, RpcValue> fields, String name) {
    return Optional.ofNullable(fields.get(name)).flatMap(RpcValue::asText).orElse("");
  }

  private static List<RpcValue> params(XmlElement root) throws BadRpcException {
    List<RpcValue> values = new ArrayList<>();
    List<XmlElement> params = root.child("params").map(XmlElement::children).orElse(List.of());
    for (XmlElement param : params) {
      values.add(value(param.required("value")));
    }
    return values;
  }

  /** An untyped value is a string. */
  private static RpcValue value(XmlElement value) throws BadRpcException {
    if (value.children().isEmpty()) {
      return new RpcValue.Text(value.text());
    }
    XmlElement typed = value.children().get(0);
    String text = typed.text();
    return switch (typed.name()) {
      case "string" -> new RpcValue.Text(text);
      case "int", "i4", "i8", "i2", "i1" -> new RpcValue.Int(integer(text.strip()));
      case "boolean" -> new RpcValue.Bool(truth(text.strip()));
      case "double", "float" -> new RpcValue.Real(real(text.strip()));
      case "dateTime.iso8601", "dateTime" -> new RpcValue.Time(text.strip());
      case "base64" -> binary(text);
      case "array" -> array(typed);
      case "struct" -> struct(typed);
      case "nil" -> new RpcValue.Nil();
      default -> throw new BadRpcException("there is no type " + typed.quoted());
    };
  }

  private static RpcValue array(XmlElement array) throws BadRpcException {
    List<RpcValue> values = new ArrayList<>();
    for (XmlElement value : array.child("data").map(XmlElement::children).orElse(List.of())) {
      if (!value.name().equals("value")) {
        throw new BadRpcException("there is a " + value.quoted() + " among the values of an array");
      }
      values.add(value(value));
    }
    return new RpcValue.Items(values);
  }

  private static RpcValue struct(XmlElement struct) throws BadRpcException {
    Map<String, RpcValue> members = new LinkedHashMap<>();
    for (XmlElement member : struct.children()) {
      members.put(member.required("name").text(), value(member.required("value")));
    }
    return new RpcValue.Fields(members);
  }

  private static long integer(String text) throws BadRpcException {
    try {
      if (INTEGER.matcher(text).matches()) {
        return Long.parseLong(text);
      }
    } catch (NumberFormatException tooLarge) {
      // Reported below.
    }
    throw new BadRpcException(WebUrl.quoted(text) + " is not an integer");
  }

  private static boolean truth(String text) throws BadRpcException {
    return switch (text) {
      case "1", "true" -> true;
      case "0", "false" -> false;
      default -> throw new BadRpcException(WebUrl.quoted(text) + " is not a boolean");
    };
  }

  private static double real(String text) throws BadRpcException {
    double number = DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
    if (!Double.isFinite(number)) {
      throw new BadRpcException(WebUrl.quoted(text) + " is not a double");
    }
    return number;
  }

  private static RpcValue binary(String text) throws BadRpcException {
    try {
      return RpcValue.Binary.of(Base64.getMimeDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      throw new BadRpcException("a base64 value is none");
    }
  }

  static byte[] write(RpcCall call) {
    if (!isName(call.procedure())) {
      throw new IllegalArgumentException("no procedure can be named like that");
    }
    return XmlOut.document(
        out -> {
          out.start("methodCall");
          out.text("methodName", call.procedure());
          out.start("params");
          for (RpcValue value : call.values()) {
            out.start("param");
            writeValue(out, value);
            out.end();
          }
          out.end();
          out.end();
        });
  }

  static byte[] write(RpcValue value) {
    return XmlOut.document(
        out -> {
          out.start("methodResponse");
          out.start("params");
          out.start("param");
          writeValue(out, value);
          out.end();
          out.end();
          out.end();
        });
  }

  static RpcValue.Fields fault(String sentence) {
    Map<String, RpcValue> fields = new LinkedHashMap<>();
    fields.put("faultCode", new RpcValue.Int(FAULT_CODE));
    fields.put("faultString", new RpcValue.Text(sentence));
    return new RpcValue.Fields(fields);
  }

  static byte[] writeFault(String sentence) {
    return XmlOut.document(
        out -> {
          out.start("methodResponse");
          out.start("fault");
          writeValue(out, fault(sentence));
          out.end();
          out.end();
        });
  }

  private static void writeValue(XmlOut out, RpcValue value) throws XMLStreamException {
    out.start("value");
    if (value instanceof RpcValue.Items items) {
      writeArray(out, items);
    } else if (value instanceof RpcValue.Fields fields) {
      writeStruct(out, fields);
    } else {
      writeSimple(out, value);
    }
    out.end();
  }

  private static void writeSimple(XmlOut out, RpcValue value) throws XMLStreamException {
    if (value instanceof RpcValue.Int whole) {
      boolean small = whole.number() == (int) whole.number();
      out.text(small ? "int" : "i8", Long.toString(whole.number()));
    } else if (value instanceof RpcValue.Bool bool) {
      out.text("boolean", bool.truth() ? "1" : "0");
    } else if (value instanceof RpcValue.Real real) {
      // XML-RPC knows no exponents.
      out.text("double", BigDecimal.valueOf(real.number()).toPlainString());
    } else if (value instanceof RpcValue.Time time) {
      out.text("dateTime.iso8601", time.text());
    } else if (value instanceof RpcValue.Binary binary) {
      out.text("base64", binary.base64());
    } else if (value instanceof RpcValue.Nil) {
      out.text("nil", "");
    } else {
      out.text("string", value.asText().orElse(""));
    }
  }

  private static void writeArray(XmlOut out, RpcValue.Items items) throws XMLStreamException {
    out.start("array");
    out.start("data");
    for (RpcValue item : items.values()) {
      writeValue(out, item);
    }
    out.end();
    out.end();
  }

  private static void writeStruct(XmlOut out, RpcValue.Fields fields) throws XMLStreamException {
    out.start("struct");
    for (Map.Entry<String, RpcValue> member : fields.values().entrySet()) {
      out.start("member");
      out.text("name", member.getKey());
      writeValue(out, member.getValue());
      out.end();
    }
    out.end();
  }
}
