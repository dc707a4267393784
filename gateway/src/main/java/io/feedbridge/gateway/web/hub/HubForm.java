package io.feedbridge.gateway.web.hub;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The parameters that are posted to the hub, in any of three encodings: urlencoded, which WebSub
 * uses, multipart or JSON. In JSON an array repeats a parameter, and {@code
 * {"search":{"format":…}}} stands for {@code search[format]}.
 */
final class HubForm {

  /** The media types that are accepted. */
  static final String[] TYPES = {
    "application/x-www-form-urlencoded", "multipart/form-data", "application/json"
  };

  private static final int MAX_DEPTH = 5;
  private static final int MAX_PARAMETERS = 1_024;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private final Map<String, List<String>> values = new LinkedHashMap<>();
  private int count;

  private HubForm() {}

  /**
   * The parameters of a body, each with its values in their order.
   *
   * @throws BadRequestException if the body is not of its type, or has too many parameters
   */
  static Map<String, List<String>> of(Request request) {
    String type = request.header("Content-Type").orElse("").split(";", 2)[0].strip();
    return switch (type.toLowerCase(Locale.ROOT)) {
      case "multipart/form-data" -> request.multipart();
      case "application/json" -> json(request.body());
      default -> request.form();
    };
  }

  private static Map<String, List<String>> json(byte[] body) {
    JsonNode root;
    try {
      root = MAPPER.readTree(body);
    } catch (JsonProcessingException e) {
      throw new BadRequestException("the body is not JSON, or is nested too deeply" + place(e));
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
    if (!root.isObject()) {
      throw new BadRequestException("the body must be one JSON object");
    }
    HubForm form = new HubForm();
    root.properties().forEach(field -> form.add(field.getKey(), field.getValue()));
    return form.values;
  }

  private static String place(JsonProcessingException e) {
    JsonLocation at = e.getLocation();
    return at == null ? "" : ": line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
  }

  private void add(String name, JsonNode value) {
    if (value.isObject()) {
      value.properties().forEach(field -> add(name + '[' + field.getKey() + ']', field.getValue()));
    } else if (value.isArray()) {
      value.forEach(item -> add(name, item));
    } else if (!value.isNull()) {
      if (++count > MAX_PARAMETERS) {
        throw new BadRequestException("more than " + MAX_PARAMETERS + " parameters");
      }
      values.computeIfAbsent(name, any -> new ArrayList<>(1)).add(value.asText());
    }
  }
}
