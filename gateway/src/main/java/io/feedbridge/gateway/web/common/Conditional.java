package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.publish.EntityTag;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;

/** Documents that clients fetch again and again, with validators (RFC 9110 §13). */
public final class Conditional {

  private static final int NOT_MODIFIED = 304;
  private static final int OK = 200;

  private static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private Conditional() {}

  /** The document, or a 304 if the client has it; the tag is a hash of it. */
  public static Response of(
      Request request, String contentType, byte[] body, Instant lastModified) {
    return of(request, contentType, body, EntityTag.of(body), lastModified);
  }

  /** The same, with a tag that was made before. */
  public static Response of(
      Request request, String contentType, byte[] body, String tag, Instant lastModified) {
    return of(request, contentType, body, tag, lastModified, lastModified);
  }

  /**
   * The same, with a date that may be in the future. The client is told the present then (RFC 9110
   * §8.8.2.1), and has the document by its tag alone until the date has come.
   */
  public static Response of(
      Request request,
      String contentType,
      byte[] body,
      String tag,
      Instant lastModified,
      Instant now) {
    Instant modified = lastModified.truncatedTo(ChronoUnit.SECONDS);
    Instant told = modified.isAfter(now) ? now : modified;
    Response response =
        isKnown(request, tag, modified)
            ? Response.empty(NOT_MODIFIED)
            : Response.of(OK, contentType, body);
    return response.withHeader("ETag", tag).withHeader("Last-Modified", HTTP_DATE.format(told));
  }

  /** A document with a tag alone, as one that changes more than once in a second needs it. */
  public static Response tagged(Request request, String contentType, byte[] body) {
    String tag = EntityTag.of(body);
    Response response =
        hasTag(request, tag) ? Response.empty(NOT_MODIFIED) : Response.of(OK, contentType, body);
    return response.withHeader("ETag", tag);
  }

  private static boolean hasTag(Request request, String tag) {
    return request.headers().all("If-None-Match").stream()
        .flatMap(line -> Arrays.stream(line.split(",", -1)))
        .map(String::strip)
        .anyMatch(known -> known.equals("*") || known.replaceFirst("^W/", "").equals(tag));
  }

  /** A tag counts more than a date (RFC 9110 §13.2.2). */
  private static boolean isKnown(Request request, String tag, Instant modified) {
    if (request.headers().contains("If-None-Match")) {
      return hasTag(request, tag);
    }
    return request
        .header("If-Modified-Since")
        .filter(since -> !modified.isAfter(date(since)))
        .isPresent();
  }

  private static Instant date(String text) {
    try {
      return ZonedDateTime.parse(text, HTTP_DATE).toInstant();
    } catch (DateTimeParseException noDate) {
      return Instant.MIN;
    }
  }
}
