package io.feedbridge.gateway.web.common;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializerBase;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The API's answers: JSON in camelCase with times as RFC 3339, and problems as RFC 9457. */
public final class Answers {

  private static final String JSON = "application/json";
  private static final String PROBLEM = "application/problem+json";

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .addModule(new SimpleModule().addSerializer(Instant.class, new Milliseconds()))
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .build();

  private Answers() {}

  /** Times in milliseconds: clocks that are finer than the store's tell a reader nothing. */
  private static final class Milliseconds extends ToStringSerializerBase {
    private static final long serialVersionUID = 1;

    Milliseconds() {
      super(Instant.class);
    }

    @Override
    public String valueToString(Object value) {
      return ((Instant) value).truncatedTo(ChronoUnit.MILLIS).toString();
    }
  }

  /**
   * A list.
   *
   * @param nextCursor where the next part begins; absent after the last
   * @param total items that match, on every page; left out where it was not asked for
   */
  public record Items(
      List<?> items,
      @Nullable String nextCursor,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long total) {

    public Items(List<?> items, @Nullable String nextCursor) {
      this(items, nextCursor, null);
    }

    /** With the number of items that match, if the request asks for it with {@code total=true}. */
    public Items counted(Request request, LongSupplier total) {
      return Page.flag(request, "total") ? new Items(items, nextCursor, total.getAsLong()) : this;
    }
  }

  /** RFC 9457; the type is the status itself. */
  public record Problem(String title, int status, String detail, List<FieldError> errors) {}

  /** A field or parameter at fault. */
  public record FieldError(String field, String detail) {}

  /** A constant as the API writes it, such as {@code under_way}. */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  public static Response json(int status, Object value) {
    return Response.of(status, JSON, bytes(value));
  }

  public static Response problem(int status, String detail, FieldError... errors) {
    return Response.of(
        status, PROBLEM, bytes(new Problem(title(status), status, detail, List.of(errors))));
  }

  private static String title(int status) {
    return switch (status) {
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 409 -> "Conflict";
      case 413 -> "Content Too Large";
      case 415 -> "Unsupported Media Type";
      case 503 -> "Service Unavailable";
      default -> "Internal Server Error";
    };
  }

  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot encode a " + value.getClass().getSimpleName(), e);
    }
  }
}
