package io.feedbridge.websub.discovery;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One link of a {@code Link} header (RFC 8288 §3).
 *
 * @param target the reference between the angle brackets, not resolved
 * @param rels the relation types, in lower case, in order
 * @param params the other parameters: names in lower case, the first value of each, in order
 */
public record Link(String target, List<String> rels, Map<String, String> params) {
  public Link {
    rels = List.copyOf(rels);
    params = Collections.unmodifiableMap(new LinkedHashMap<>(params));
  }

  /** A link with one relation type and no other parameter. */
  public static Link of(String target, String rel) {
    return new Link(target, List.of(rel), Map.of());
  }
}
