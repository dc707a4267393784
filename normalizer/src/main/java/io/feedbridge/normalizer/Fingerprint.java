package io.feedbridge.normalizer;

import static io.feedbridge.normalizer.EntryKey.feed;

import java.security.MessageDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A 128-bit hash of an entry's content. Its id and its dates are no part of it: many feeds stamp
 * every entry with the time of the fetch, and that changes nothing for a reader.
 */
public final class Fingerprint {
  private Fingerprint() {}

  /** 32 hexadecimal digits, the same for the same content for ever. */
  public static String of(Entry entry) {
    MessageDigest digest = EntryKey.sha256();
    feed(digest, entry.title());
    content(digest, entry.content());
    content(digest, entry.summary());
    links(digest, entry.links());
    texts(digest, entry.categories());
    authors(digest, entry.authors());
    GeoPoint geo = entry.geo();
    feed(digest, geo == null ? null : geo.latitude() + " " + geo.longitude());
    texts(digest, entry.verbs());
    feed(digest, Integer.toString(entry.objects().size()));
    for (ActivityObject object : entry.objects()) {
      texts(digest, object.objectTypes());
      feed(digest, object.id());
      feed(digest, object.title());
      content(digest, object.content());
      links(digest, object.links());
      texts(digest, object.categories());
      authors(digest, object.authors());
    }
    return EntryKey.hex(digest);
  }

  private static void content(MessageDigest digest, @Nullable Content content) {
    feed(digest, content == null ? null : content.type());
    feed(digest, content == null ? null : content.value());
    feed(digest, content == null ? null : content.src());
  }

  /** Without canonical ones, which earlier versions did not read from FeedBurner's feeds. */
  private static void links(MessageDigest digest, List<Link> all) {
    List<Link> links = all.stream().filter(link -> !link.rel().equals(Link.CANONICAL)).toList();
    feed(digest, Integer.toString(links.size()));
    for (Link link : links) {
      feed(digest, link.rel());
      feed(digest, link.href());
      feed(digest, link.title());
    }
  }

  private static void authors(MessageDigest digest, List<Author> authors) {
    feed(digest, Integer.toString(authors.size()));
    for (Author author : authors) {
      feed(digest, author.name());
      feed(digest, author.email());
      feed(digest, author.uri());
      feed(digest, author.id());
    }
  }

  private static void texts(MessageDigest digest, List<String> values) {
    feed(digest, Integer.toString(values.size()));
    for (String value : values) {
      feed(digest, value);
    }
  }
}
