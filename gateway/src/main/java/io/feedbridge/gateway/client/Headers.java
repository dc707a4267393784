package io.feedbridge.gateway.client;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The fields of an answer, read-only; names are compared without regard to case, repeated fields
 * are kept in order.
 */
public final class Headers {
  private final HttpHeaders fields;

  Headers(HttpHeaders fields) {
    this.fields = fields;
  }

  /** The first value of a field. */
  public Optional<String> first(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  /** All values of a field in the order received; empty if there is none. */
  public List<String> all(String name) {
    return List.copyOf(fields.getAll(name));
  }

  /** All fields in the order received. */
  public List<Map.Entry<String, String>> entries() {
    return fields.entries().stream()
        .map(field -> Map.entry(field.getKey(), field.getValue()))
        .toList();
  }

  @Override
  public String toString() {
    return fields.entries().toString();
  }
}
