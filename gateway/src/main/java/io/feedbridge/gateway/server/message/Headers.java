package io.feedbridge.gateway.server.message;

import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Header fields by name, whose case does not matter (RFC 9110 §5.1). Immutable; the lines of one
 * name keep their order.
 */
public final class Headers {
  private static final Headers NONE = new Headers(new TreeMap<>());

  private final Map<String, List<String>> byName;

  private Headers(Map<String, List<String>> byName) {
    this.byName = byName;
  }

  /** No header field at all. */
  public static Headers none() {
    return NONE;
  }

  /**
   * Alternating names and values.
   *
   * @throws IllegalArgumentException at an odd number of them, a name that is no token, or a value
   *     with CR, LF or another control character
   */
  public static Headers of(String... namesAndValues) {
    if (namesAndValues.length % 2 != 0) {
      throw new IllegalArgumentException("names and values must come in pairs");
    }
    Headers headers = NONE;
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers = headers.plus(namesAndValues[i], namesAndValues[i + 1]);
    }
    return headers;
  }

  public static Headers from(Iterable<Map.Entry<String, String>> fields) {
    Map<String, List<String>> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (Map.Entry<String, String> field : fields) {
      byName.computeIfAbsent(field.getKey(), name -> new ArrayList<>(1)).add(field.getValue());
    }
    byName.replaceAll((name, values) -> List.copyOf(values));
    return new Headers(byName);
  }

  /** The value of the first line of that name. */
  public Optional<String> first(String name) {
    List<String> values = all(name);
    return values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
  }

  /** The values of every line of that name in the order of the message; empty if there is none. */
  public List<String> all(String name) {
    return byName.getOrDefault(name, List.of());
  }

  /** Whether there is a line of that name. */
  public boolean contains(String name) {
    return byName.containsKey(name);
  }

  /** An unmodifiable view whose keys are looked up without regard to case. */
  public Map<String, List<String>> asMap() {
    return Collections.unmodifiableMap(byName);
  }

  /** With this one line of that name, in place of any that were there. */
  public Headers with(String name, String value) {
    check(name, value);
    Map<String, List<String>> copy = copy();
    copy.remove(name);
    copy.put(name, List.of(value));
    return new Headers(copy);
  }

  /** With one more line of that name. */
  Headers plus(String name, String value) {
    check(name, value);
    Map<String, List<String>> copy = copy();
    List<String> values = new ArrayList<>(all(name));
    values.add(value);
    copy.put(name, List.copyOf(values));
    return new Headers(copy);
  }

  private Map<String, List<String>> copy() {
    Map<String, List<String>> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    copy.putAll(byName);
    return copy;
  }

  private static void check(String name, String value) {
    if (name.isEmpty() || HttpHeaderValidationUtil.validateToken(name) != -1) {
      throw new IllegalArgumentException("a header name must be a token");
    }
    if (HttpHeaderValidationUtil.validateValidHeaderValue(value) != -1) {
      throw new IllegalArgumentException(
          "the value of the header " + name + " holds a control character");
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Headers that && byName.equals(that.byName);
  }

  @Override
  public int hashCode() {
    return byName.hashCode();
  }

  /** The names only: values may be secrets. */
  @Override
  public String toString() {
    return byName.keySet().toString();
  }
}
