package io.feedbridge.gateway.web.common;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Collectors;

/** Reads JSON objects: exactly the fields that a call knows, or an error that names the field. */
public final class JsonBody {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .withCoercionConfig(
              LogicalType.Textual,
              config -> {
                for (CoercionInputShape shape :
                    new CoercionInputShape[] {
                      CoercionInputShape.Integer,
                      CoercionInputShape.Float,
                      CoercionInputShape.Boolean
                    }) {
                  config.setCoercion(shape, CoercionAction.Fail);
                }
              })
          .withCoercionConfig(
              LogicalType.Boolean,
              config -> {
                for (CoercionInputShape shape :
                    new CoercionInputShape[] {
                      CoercionInputShape.Integer,
                      CoercionInputShape.String,
                      CoercionInputShape.EmptyString
                    }) {
                  config.setCoercion(shape, CoercionAction.Fail);
                }
              })
          .build();

  private JsonBody() {}

  /**
   * The body as a value.
   *
   * @param type a record; its optional components are nullable
   * @throws BadFieldException if a field is not known or of another type
   * @throws BadRequestException if it is no JSON object
   */
  public static <T> T read(Request request, Class<T> type) {
    try {
      T value = MAPPER.readValue(request.body(), type);
      if (value == null) {
        throw notAnObject();
      }
      return value;
    } catch (UnrecognizedPropertyException e) {
      throw new BadFieldException(
          e.getPropertyName(),
          "there is no such field; there are "
              + e.getKnownPropertyIds().stream()
                  .map(String::valueOf)
                  .sorted()
                  .collect(Collectors.joining(", ")));
    } catch (JsonMappingException e) {
      String field =
          e.getPath().stream()
              .map(JsonMappingException.Reference::getFieldName)
              .filter(name -> name != null)
              .collect(Collectors.joining("."));
      if (field.isEmpty()) {
        throw notAnObject();
      }
      throw new BadFieldException(field, "its value has the wrong type");
    } catch (JsonProcessingException e) {
      throw new BadRequestException(
          "the body is not JSON: line %d, column %d"
              .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr()));
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
  }

  private static BadRequestException notAnObject() {
    return new BadRequestException("the body must be one JSON object");
  }
}
