package io.feedbridge.normalizer;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A link of a feed, an entry, an author or an object.
 *
 * @param rel a short relation name ({@code alternate}, {@code replies}, {@code enclosure}, {@code
 *     picture}, {@code self}, {@code hub} …) or an extension's IRI
 * @param href resolved where the document's base allowed it
 * @param length in bytes, as the document states it
 * @param details the other statements of the document about it: a {@code media:content}, a {@code
 *     media:thumbnail}, or the other attributes of an {@code atom:link}
 */
public record Link(
    String rel,
    String href,
    @Nullable String type,
    @Nullable String title,
    @Nullable Long length,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Extension details) {

  /** The relation that a link without one has (RFC 4287 §4.2.7.2). */
  public static final String ALTERNATE = "alternate";

  /** The relation of an image that illustrates its parent. */
  public static final String PICTURE = "picture";

  /** The relation of a file that belongs to an entry. */
  public static final String ENCLOSURE = "enclosure";

  static final String REPLIES = "replies";

  /** The relation of a feed's own address. */
  public static final String SELF = "self";

  static final String HUB = "hub";

  /** The relation of a list to a list that it includes. */
  public static final String INCLUDE = "include";

  /** The address that an entry has beside the one that counts its readers. */
  static final String CANONICAL = "canonical";

  public Link {
    rel = rel == null || rel.isBlank() ? ALTERNATE : rel;
    href = href == null ? "" : href;
    type = Present.text(type);
    title = Present.text(title);
  }

  /** A link of which no more is known. */
  public Link(
      String rel,
      String href,
      @Nullable String type,
      @Nullable String title,
      @Nullable Long length) {
    this(rel, href, type, title, length, null);
  }

  static Link of(String rel, String href, @Nullable String type) {
    return new Link(rel, href, type, null, null);
  }

  /** The page that the links' parent stands for: the first HTML alternate, else any alternate. */
  public static @Nullable String permalink(Iterable<Link> links) {
    String first = null;
    for (Link link : links) {
      if (link.rel.equals(ALTERNATE)) {
        if (link.type == null || link.type.contains("html")) {
          return link.href;
        }
        first = first == null ? link.href : first;
      }
    }
    return first;
  }

  /**
   * The permalink, or another address where there is none: that of the original, which FeedBurner
   * keeps, or that of the first enclosure.
   */
  static @Nullable String page(List<Link> links) {
    String page = permalink(links);
    for (String rel : List.of(CANONICAL, ENCLOSURE)) {
      for (Link link : links) {
        page = page == null && link.rel.equals(rel) ? link.href : page;
      }
    }
    return page;
  }

  /** An author's picture: the schema's two examples of one differ in its relation. */
  static @Nullable String image(Iterable<Link> links) {
    for (Link link : links) {
      switch (link.rel) {
        case PICTURE, "image", "avatar", "photo" -> {
          return link.href;
        }
        default -> {}
      }
    }
    return null;
  }
}
