package io.feedbridge.websub.discovery;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The {@code Link} header (RFC 8288 §3), read as leniently as its appendix B.2, and written. */
public final class LinkHeader {
  /** The most characters that are read of all values together; a value beyond is left out whole. */
  public static final int MAX_TOTAL_LENGTH = 64 * 1024;

  /** The most links that are read. */
  public static final int MAX_LINKS = 256;

  private LinkHeader() {}

  /**
   * Reads all values of the header. A malformed part is skipped with as little as possible around
   * it; extended parameters ({@code title*}) are left out. Never throws, and takes time linear in
   * the length.
   */
  public static List<Link> parse(List<String> values) {
    List<Link> links = new ArrayList<>();
    int remaining = MAX_TOTAL_LENGTH;
    for (String value : values) {
      if (value.length() <= remaining) {
        remaining -= value.length();
        new LinkScanner(value).read(links, MAX_LINKS);
      }
    }
    return List.copyOf(links);
  }

  /** One value that holds all these links; targets are percent-encoded where they need it. */
  public static String format(List<Link> links) {
    return links.stream().map(LinkHeader::format).collect(Collectors.joining(", "));
  }

  private static String format(Link link) {
    StringBuilder text = new StringBuilder();
    text.append('<').append(HttpReference.encodeIllegal(link.target())).append('>');
    text.append("; rel=").append(quoted(String.join(" ", link.rels())));
    link.params()
        .forEach((name, v) -> text.append("; ").append(name).append('=').append(quoted(v)));
    return text.toString();
  }

  private static String quoted(String value) {
    return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
