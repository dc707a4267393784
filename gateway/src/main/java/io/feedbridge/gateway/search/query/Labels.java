package io.feedbridge.gateway.search.query;

import io.feedbridge.normalizer.Author;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The labels of an entry and of a query: {@code site=example.org}, {@code link=example.org/page},
 * {@code language=en}, {@code category=space_flight}, {@code author=jane_doe}, and {@code char=}
 * for single characters. A label has no white space.
 */
final class Labels {

  /** Characters of a label; a longer one is cut off. */
  private static final int MAX_LENGTH = 512;

  /** Domains of one host. */
  private static final int MAX_DOMAINS = 10;

  /** Words of an author's name, each part of which is a label. */
  private static final int MAX_NAME = 6;

  private static final String WWW = "www.";

  private Labels() {}

  static String site(String host) {
    return label("site", host);
  }

  /** A site and each domain that it is in. */
  static List<String> sites(String host) {
    List<String> all = new ArrayList<>();
    for (String domain : domains(host)) {
      all.add(site(domain));
    }
    return all;
  }

  private static List<String> domains(String host) {
    List<String> domains = new ArrayList<>();
    String rest = host;
    while (domains.size() < MAX_DOMAINS) {
      domains.add(rest);
      int dot = rest.indexOf('.');
      if (dot < 0) {
        break;
      }
      rest = rest.substring(dot + 1);
    }
    return domains;
  }

  /** A linked page, and the hosts that it is on. */
  static List<String> links(String url) {
    Optional<String> host = host(url);
    if (host.isEmpty()) {
      return List.of();
    }
    List<String> all = new ArrayList<>();
    all.add(link(url));
    domains(host.get()).forEach(domain -> all.add(link(domain)));
    return all;
  }

  /** A page, or a host, with or without its scheme. */
  static String link(String url) {
    String plain = url.strip().replaceFirst("(?i)^https?://", "");
    int fragment = plain.indexOf('#');
    plain = fragment < 0 ? plain : plain.substring(0, fragment);
    int path = plain.indexOf('/');
    String host = (path < 0 ? plain : plain.substring(0, path)).toLowerCase(Locale.ROOT);
    String rest = path < 0 ? "" : plain.substring(path);
    host = host.startsWith(WWW) ? host.substring(WWW.length()) : host;
    return label("link", host + (rest.equals("/") ? "" : rest));
  }

  /** The language of a tag without its region: {@code en} of {@code en-GB}. */
  static String language(String tag) {
    return label("language", tag.strip().split("[-_]", 2)[0].toLowerCase(Locale.ROOT));
  }

  static String category(String name) {
    return label("category", joined(Words.of(name), name));
  }

  /** Words of a name, or a whole e-mail address or URI. */
  static String author(String who) {
    boolean whole = who.indexOf('@') >= 0 || who.contains("://");
    return label(
        "author", whole ? who.strip().toLowerCase(Locale.ROOT) : joined(Words.of(who), who));
  }

  /** An author's address and URI, and each run of words of the name. */
  static Set<String> authors(Author author) {
    Set<String> all = new HashSet<>();
    Stream.of(author.email(), author.uri())
        .filter(Objects::nonNull)
        .map(Labels::author)
        .forEach(all::add);
    String name = author.name();
    List<String> words = name == null ? List.of() : Words.of(name);
    int count = Math.min(words.size(), MAX_NAME);
    for (int from = 0; from < count; from++) {
      for (int to = from + 1; to <= count; to++) {
        all.add(label("author", String.join("_", words.subList(from, to))));
      }
    }
    return all;
  }

  /** A value without a letter or a digit is taken as it is. */
  private static String joined(List<String> words, String value) {
    return words.isEmpty() ? value.toLowerCase(Locale.ROOT) : String.join("_", words);
  }

  static String character(int character) {
    return "char=" + Character.toString(character);
  }

  private static String label(String kind, String value) {
    String plain = value.replaceAll("[\\s\\p{Cntrl}\"]", "");
    String whole = kind + '=' + plain;
    return whole.length() > MAX_LENGTH ? whole.substring(0, MAX_LENGTH) : whole;
  }

  /** The host of an http URL without {@code www.}, in small letters. */
  static Optional<String> host(String url) {
    try {
      URI uri = new URI(url.strip());
      String host = uri.getHost();
      boolean web =
          "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
      return web && host != null ? Optional.of(plain(host)) : Optional.empty();
    } catch (URISyntaxException noUrl) {
      return Optional.empty();
    }
  }

  /** A host as labels have it. */
  static String plain(String host) {
    String small = host.toLowerCase(Locale.ROOT);
    return small.startsWith(WWW) ? small.substring(WWW.length()) : small;
  }
}
