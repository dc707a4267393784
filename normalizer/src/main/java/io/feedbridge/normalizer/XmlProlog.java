package io.feedbridge.normalizer;

/** The root of an XML document, found without reading the document, well-formed or not. */
final class XmlProlog {
  private XmlProlog() {}

  /** The local name of the first element as it is written; empty where there is none. */
  static String rootName(String xml) {
    int at = root(xml);
    if (at < 0) {
      return "";
    }
    return nameAt(xml, at + 1);
  }

  /** Where the first element's tag stands; -1 for nowhere. */
  static int root(String xml) {
    int at = 0;
    while (at < xml.length()) {
      at = xml.indexOf('<', at);
      if (at < 0 || at + 1 >= xml.length()) {
        return -1;
      }
      if (xml.startsWith("<?", at)) {
        at = after(xml, "?>", at);
      } else if (xml.startsWith("<!--", at)) {
        at = after(xml, "-->", at);
      } else if (xml.startsWith("<!", at)) {
        int end = after(xml, ">", at);
        int subset = xml.substring(at, end).indexOf('[');
        at = subset >= 0 ? after(xml, "]", at + subset) : end;
      } else {
        return at;
      }
    }
    return -1;
  }

  private static String nameAt(String xml, int from) {
    int to = from;
    int local = from;
    while (to < xml.length() && " \t\r\n/>".indexOf(xml.charAt(to)) < 0) {
      if (xml.charAt(to) == ':') {
        local = to + 1;
      }
      to++;
    }
    return xml.substring(local, to);
  }

  private static int after(String xml, String end, int from) {
    int at = xml.indexOf(end, from);
    return at < 0 ? xml.length() : at + end.length();
  }
}
