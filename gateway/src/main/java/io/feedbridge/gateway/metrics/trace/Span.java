package io.feedbridge.gateway.metrics.trace;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a trace, with the names that OTLP has in JSON.
 *
 * @param parentSpanId absent for the first span of a trace
 * @param kind 1 for work of the gateway itself, 3 for a request to another host
 * @param startTimeUnixNano a decimal number as text: JSON has no 64 bits; so the end
 */
record Span(
    String traceId,
    String spanId,
    @Nullable String parentSpanId,
    String name,
    int kind,
    String startTimeUnixNano,
    String endTimeUnixNano,
    List<Attribute> attributes,
    Status status) {

  static final int INTERNAL = 1;
  static final int CLIENT = 3;

  private static final int UNSET = 0;
  private static final int ERROR = 2;
  private static final long NANOS = 1_000_000_000;

  record Attribute(String key, Value value) {}

  record Value(String stringValue) {}

  /** The code 2 is an error; the gateway leaves the judgement of all else to the reader. */
  record Status(int code, String message) {

    static final Status OK = new Status(UNSET, "");

    static Status failed(String message) {
      return new Status(ERROR, message);
    }
  }

  /** Attributes of names and values in turn. */
  static List<Attribute> attributes(String... namesAndValues) {
    List<Attribute> attributes = new ArrayList<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      attributes.add(new Attribute(namesAndValues[i], new Value(namesAndValues[i + 1])));
    }
    return List.copyOf(attributes);
  }

  static String nanos(Instant time) {
    return Long.toString(time.getEpochSecond() * NANOS + time.getNano());
  }
}
