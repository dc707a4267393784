package io.feedbridge.normalizer;

import java.net.URI;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/** The ids of Atom, which are IRIs (RFC 4287 §4.2.6), made of ids that need not be. */
final class AtomIds {
  private static final String PREFIX = "urn:feedbridge:id:";
  private static final URI NO_BASE = URI.create("");
  private static final String NOT_IN_IRIS = "<>\"{}|\\^`";

  private AtomIds() {}

  /**
   * The id itself where it is an IRI, else a URN of its hash: the same at every time. An empty text
   * is no id and stays empty.
   */
  static String of(String id) {
    return id.isEmpty() || isIri(id) ? id : PREFIX + EntryKey.of(id);
  }

  /** Whether {@link #of} makes ids like this one of ids that are no IRIs. */
  static boolean isMade(String id) {
    return id.startsWith(PREFIX);
  }

  /**
   * The source's own id of an entry that {@link #of} gave another one, so that a feed keeps its ids
   * on its way through several gateways. It is believed only where the id is made of it.
   */
  static String source(String id, Element entry) {
    String own = isMade(id) ? Vocabulary.DC.text(entry, "identifier") : null;
    return own != null && of(own).equals(id) ? own : id;
  }

  /**
   * The id in the element as an absolute one, where it is a path and the document gives a base for
   * it. It is not resolved against the document's address, which may change.
   */
  static String absolute(String id, @Nullable Element holder) {
    if (holder == null || id.indexOf('/') < 0 || id.indexOf(':') >= 0) {
      return id;
    }
    URI base = Urls.base(holder, NO_BASE);
    return base.isAbsolute() ? Urls.resolve(base, id) : id;
  }

  /** Whether the text is an absolute IRI (RFC 3987 §2.2). */
  static boolean isIri(String id) {
    int colon = id.indexOf(':');
    if (colon <= 0 || colon == id.length() - 1 || !isScheme(id, colon)) {
      return false;
    }
    boolean fragment = false;
    int authorityEnd = authorityEnd(id, colon + 1);
    for (int at = colon + 1; at < id.length(); ) {
      int c = id.codePointAt(at);
      boolean legal =
          switch (c) {
            case '#' -> !fragment;
            case '%' -> isHex(id, at + 1) && isHex(id, at + 2);
            case '[', ']' -> at < authorityEnd;
            default -> isCharacter(c);
          };
      if (!legal) {
        return false;
      }
      fragment |= c == '#';
      at += Character.charCount(c);
    }
    return true;
  }

  private static boolean isScheme(String id, int end) {
    for (int at = 0; at < end; at++) {
      char c = id.charAt(at);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      boolean other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
      if (!letter && (at == 0 || !other)) {
        return false;
      }
    }
    return true;
  }

  /** Where the authority ends, in which an address of IPv6 stands in brackets. */
  private static int authorityEnd(String id, int from) {
    if (!id.startsWith("//", from)) {
      return from;
    }
    int at = from + 2;
    while (at < id.length() && "/?#".indexOf(id.charAt(at)) < 0) {
      at++;
    }
    return at;
  }

  private static boolean isHex(String id, int at) {
    return at < id.length() && Character.digit(id.charAt(at), 16) >= 0 && id.charAt(at) < 0x80;
  }

  private static boolean isCharacter(int c) {
    if (c < 0x80) {
      return c > ' ' && c < 0x7F && NOT_IN_IRIS.indexOf(c) < 0;
    }
    return c >= 0xA0
        && !Character.isWhitespace(c)
        && Character.getType(c) != Character.SURROGATE
        && Character.getType(c) != Character.PRIVATE_USE
        && (c < 0xFDD0 || c > 0xFDEF)
        && (c < 0xFFF0 || c > 0xFFFF)
        && (c & 0xFFFE) != 0xFFFE;
  }
}
