package io.feedbridge.normalizer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The model as JSON, as an event log keeps it: absent values are left out, and properties unknown
 * to this version are skipped, so that an older gateway reads a newer log. Thread-safe.
 */
public final class FeedCodec {
  private final ObjectMapper mapper =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS))
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
          .build();

  /** The feed as UTF-8 JSON. */
  public byte[] encode(Feed feed) {
    try {
      return mapper.writeValueAsBytes(feed);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("The feed has no JSON form.", e);
    }
  }

  /**
   * The feed that {@link #encode} wrote.
   *
   * @throws UncheckedIOException if the bytes are not such a document: a damaged log
   */
  public Feed decode(byte[] json) {
    try {
      return mapper.readValue(json, Feed.class);
    } catch (IOException e) {
      throw new UncheckedIOException("The bytes are no feed in JSON.", e);
    }
  }
}
