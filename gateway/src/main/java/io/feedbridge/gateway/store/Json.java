package io.feedbridge.gateway.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.util.Map;

/**
 * How values lie in the columns that no query looks into. Readers ignore what they do not know, so
 * that an older gateway reads what a newer one wrote. Thread-safe.
 */
public final class Json {

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .build();

  private static final TypeReference<Map<String, Long>> NUMBERS = new TypeReference<>() {};

  private Json() {}

  /** The value as text. */
  public static String text(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new StoreException("cannot encode a " + value.getClass().getSimpleName(), e);
    }
  }

  /** The value as UTF-8. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new StoreException("cannot encode a " + value.getClass().getSimpleName(), e);
    }
  }

  /** The value that {@link #text} wrote. */
  public static <T> T read(String json, Class<T> type) {
    try {
      return MAPPER.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new StoreException("a stored " + type.getSimpleName() + " is damaged", e);
    }
  }

  /** The numbers by name that {@link #text} wrote. */
  public static Map<String, Long> readNumbers(String json) {
    try {
      return MAPPER.readValue(json, NUMBERS);
    } catch (JsonProcessingException e) {
      throw new StoreException("stored numbers are damaged", e);
    }
  }

  /** The value that {@link #bytes} wrote. */
  public static <T> T read(byte[] json, Class<T> type) {
    try {
      return MAPPER.readValue(json, type);
    } catch (IOException e) {
      throw new StoreException("a stored " + type.getSimpleName() + " is damaged", e);
    }
  }
}
