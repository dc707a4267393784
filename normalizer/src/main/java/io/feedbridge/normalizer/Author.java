package io.feedbridge.normalizer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A person or other actor, with the schema's additions to Atom's person.
 *
 * @param objectTypes ActivityStreams types as the document gives them, the most specific last
 * @param links the profile ({@code alternate}), an image ({@code picture}) …
 */
public record Author(
    @Nullable String name,
    @Nullable String email,
    @Nullable String uri,
    @Nullable String id,
    @Nullable String title,
    List<String> objectTypes,
    List<Link> links) {

  public Author {
    name = Present.text(name);
    email = Present.text(email);
    uri = Present.text(uri);
    id = Present.text(id);
    title = Present.text(title);
    objectTypes = Present.list(objectTypes);
    links = Present.list(links);
  }

  /** An author with a name and nothing else. */
  public static Author named(String name) {
    return new Author(name, null, null, null, null, List.of(), List.of());
  }

  static Author of(@Nullable String name, @Nullable String email, @Nullable String uri) {
    return new Author(name, email, uri, null, null, List.of(), List.of());
  }

  /** Whether another record may be of the same person: it has no other name. */
  boolean mayBe(Author other) {
    String called = other.name == null ? other.title : other.name;
    return called == null || name == null || name.equals(called) || called.equals(title);
  }

  /** This author, completed by another record of the same person. */
  Author completedBy(Author other) {
    return new Author(
        name == null ? other.name : name,
        email == null ? other.email : email,
        uri == null ? other.uri : uri,
        id == null ? other.id : id,
        title == null ? other.title : title,
        objectTypes.isEmpty() ? other.objectTypes : objectTypes,
        links.isEmpty() ? other.links : links);
  }

  boolean isEmpty() {
    return name == null && email == null && uri == null && id == null && title == null;
  }
}
