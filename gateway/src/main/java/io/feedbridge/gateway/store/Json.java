package io.feedbridge.gateway.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The form of values in the columns that no query looks into. A reader ignores components that it
 * does not know, so that an older gateway reads values that a newer one wrote, as long as both have
 * the same {@link #VERSION}. Thread-safe.
 */
public final class Json {

  /**
   * The version of the form. It is raised when a component is renamed or gets another meaning; the
   * new version then reads the old name. A value without a version is of the first one, and so the
   * first one is not written.
   */
  static final int VERSION = 1;

  private static final String VERSION_FIELD = "v";

  /** The field stands first, and no value is written with spaces. */
  private static final String VERSIONED = "{\"" + VERSION_FIELD + "\"";

  private static final byte[] VERSIONED_BYTES = VERSIONED.getBytes(StandardCharsets.US_ASCII);

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .build();

  /** Writes texts with U+0000 as texts that PostgreSQL reads as JSON. */
  private static final ObjectWriter WITHOUT_NUL = MAPPER.writer(new WithoutNul());

  private static final String NUL = "\\u0000";

  /** Has U+FFFD in the place of U+0000. */
  private static final class WithoutNul extends CharacterEscapes {
    private static final long serialVersionUID = 1;
    private static final int[] ESCAPES = standardAsciiEscapesForJSON();

    static {
      ESCAPES[0] = ESCAPE_CUSTOM;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return ESCAPES;
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int character) {
      return character == 0 ? new SerializedString("\\uFFFD") : null;
    }
  }

  private static final TypeReference<Map<String, Long>> NUMBERS = new TypeReference<>() {};

  private Json() {}

  /**
   * The value as text, with U+FFFD in the place of U+0000: PostgreSQL reads no JSON with that, and
   * both engines keep the same text.
   */
  public static String text(Object value) {
    try {
      String text = MAPPER.writeValueAsString(value);
      return text.contains(NUL) ? WITHOUT_NUL.writeValueAsString(value) : text;
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

  /**
   * The value that {@link #text} wrote.
   *
   * @throws StoreException if it is damaged, or of a newer version
   */
  public static <T> T read(String json, Class<T> type) {
    try {
      if (json.startsWith(VERSIONED)) {
        requireKnownVersion(MAPPER.createParser(json), type);
      }
      return present(MAPPER.readValue(json, type), type);
    } catch (IOException e) {
      throw damaged(type, e);
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

  /**
   * The value that {@link #bytes} wrote.
   *
   * @throws StoreException if it is damaged, or of a newer version
   */
  public static <T> T read(byte[] json, Class<T> type) {
    try {
      if (Arrays.mismatch(json, VERSIONED_BYTES) >= VERSIONED_BYTES.length) {
        requireKnownVersion(MAPPER.createParser(json), type);
      }
      return present(MAPPER.readValue(json, type), type);
    } catch (IOException e) {
      throw damaged(type, e);
    }
  }

  private static void requireKnownVersion(JsonParser json, Class<?> type) throws IOException {
    try (JsonParser parser = json) {
      if (parser.nextToken() == JsonToken.START_OBJECT
          && VERSION_FIELD.equals(parser.nextFieldName())) {
        int version = parser.nextIntValue(0);
        if (version > VERSION) {
          throw new StoreException(
              ("a stored %s is of version %d, and this gateway reads %d at most: a newer version"
                      + " wrote it, start that one")
                  .formatted(type.getSimpleName(), version, VERSION));
        }
      }
    }
  }

  /** JSON's {@code null} is never written, and stands for no value. */
  private static <T> T present(@Nullable T value, Class<T> type) {
    if (value == null) {
      throw new StoreException("a stored " + type.getSimpleName() + " is missing");
    }
    return value;
  }

  private static StoreException damaged(Class<?> type, IOException cause) {
    return new StoreException("a stored " + type.getSimpleName() + " is damaged", cause);
  }
}
