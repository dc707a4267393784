package io.feedbridge.gateway.fuzz;

import io.feedbridge.gateway.server.message.Response;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Answers of origins as no specification has them, the same for the same seed. */
final class OddAnswers {

  private static final List<String> ODD =
      List.of(
          "|", "^", "{", "}", "\"", "[", "]", " ", "`", "\\", "<", ">", "%", "%zz", "%00", "#", "?",
          ";", "..", "//", "\u00e9", "&", "+", ":", "@", "'", "~", "*", ",", "=");

  private static final List<String> NUMBERS =
      List.of(
          "0",
          "-1",
          "1",
          "59",
          "60",
          "3599",
          "3600",
          "3601",
          "86400",
          "999999999",
          "2147483647",
          "2147483648",
          "-2147483648",
          "9223372036854775807",
          "9223372036854775808",
          "1e9",
          "1.5",
          "",
          " ",
          "abc",
          "0x10",
          "99999999999999999999999999",
          "\u0663",
          "NaN",
          "+5");

  private static final List<String> DATES =
      List.of(
          "Fri, 20 Nov 2026 10:00:00 GMT",
          "Thu, 01 Jan 1970 00:00:00 GMT",
          "Fri, 31 Dec 9999 23:59:59 GMT",
          "Mon, 01 Jan 0001 00:00:00 GMT",
          "2026-02-30T25:61:61Z",
          "9999-12-31T23:59:59+14:00",
          "0001-01-01T00:00:00-14:00",
          "292278994-08-17T07:12:55Z",
          "0000-00-00",
          "yesterday",
          "",
          "1e18",
          "2026-11-22T00:00:00.999999999Z",
          "Sat, 29 Feb 2025 00:00:00 EST");

  private static final List<String> TYPES =
      List.of(
          "application/rss+xml",
          "application/atom+xml",
          "application/feed+json",
          "text/html",
          "text/xml; charset=utf-16",
          "text/plain",
          "application/octet-stream",
          "garbage",
          "application/xml; charset=\"no-such\"",
          ";;;",
          "text/xml; charset=",
          "image/png");

  private static final List<String> PERIODS =
      List.of("hourly", "daily", "weekly", "monthly", "yearly", "never", "", "HOURLY");

  private final Random random;
  private final String hub;

  /**
   * A generator.
   *
   * @param hub that some of the feeds name
   */
  OddAnswers(Random random, String hub) {
    this.random = random;
    this.hub = hub;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }

  private String number() {
    return oneIn(3) ? Long.toString(random.nextLong()) : one(NUMBERS);
  }

  /** A path that leads back to an origin that answers every path below its own. */
  String path(String below) {
    StringBuilder path = new StringBuilder(below).append('/');
    for (int i = random.nextInt(3); i >= 0; i--) {
      path.append(one(ODD)).append('x');
    }
    return path.toString();
  }

  /** What is answered to a path below another one, so that a redirect may go on within it. */
  Response answer(String base, String below) {
    int kind = random.nextInt(12);
    if (kind < 2) {
      return headers(
          Response.empty(one(List.of(301, 302, 303, 307, 308)))
              .withHeader("Location", sendable(location(base, below))));
    }
    if (kind == 2) {
      return headers(Response.empty(one(List.of(204, 304, 400, 404, 410, 425, 500, 503))));
    }
    if (kind == 3) {
      String redirect = "<redirect><newLocation>%s</newLocation></redirect>";
      return found("text/xml", redirect.formatted(escaped(location(base, below))));
    }
    if (kind == 4) {
      String page =
          "<html><head><base href='%s'><link rel='alternate' type='application/rss+xml' href='%s'>"
              + "<link rel='hub' href='%s'></head></html>";
      return found("text/html", page.formatted(oneIn(3) ? one(ODD) : base, path(below), one(ODD)));
    }
    return found(oneIn(4) ? one(TYPES) : "application/rss+xml", document());
  }

  /** The server of the tests sends no control characters, and no value that begins with a space. */
  private static String sendable(String value) {
    return value.replaceAll("[\\x00-\\x1f\\x7f]", "").strip();
  }

  private String location(String base, String below) {
    return switch (random.nextInt(5)) {
      case 0 -> one(ODD) + one(ODD);
      case 1 -> path(below);
      default -> base + path(below);
    };
  }

  private Response found(String type, String text) {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    if (oneIn(8)) {
      for (int i = random.nextInt(20); i >= 0 && body.length > 0; i--) {
        body[random.nextInt(body.length)] = (byte) random.nextInt(256);
      }
    }
    if (oneIn(12)) {
      body = Arrays.copyOf(body, random.nextInt(body.length + 1));
    }
    return headers(Response.of(200, type, body));
  }

  private Response headers(Response response) {
    Response with = response;
    with = header(with, "ETag", oneIn(2) ? "\"1\"" : one(ODD));
    with = header(with, "Last-Modified", one(DATES));
    with = header(with, "Cache-Control", "max-age=" + number() + ", s-maxage=" + number());
    with = header(with, "Expires", one(DATES));
    with = header(with, "Age", number());
    with = header(with, "Retry-After", oneIn(2) ? number() : one(DATES));
    with = header(with, "Content-Location", one(ODD) + one(ODD));
    with = header(with, "Content-Language", one(ODD));
    return header(
        with, "Link", "<" + one(ODD) + ">; rel=\"" + one(List.of("hub", "self", "")) + "\"");
  }

  private Response header(Response response, String name, String value) {
    if (!oneIn(3)) {
      return response;
    }
    try {
      return response.withHeader(name, value);
    } catch (IllegalArgumentException notSendable) {
      return response;
    }
  }

  /** A feed, or something like it. */
  String document() {
    StringBuilder text =
        new StringBuilder(
            "<rss version='2.0' xmlns:a='http://www.w3.org/2005/Atom'"
                + " xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'"
                + " xmlns:source='http://source.scripting.com/'><channel><title>t</title>");
    if (oneIn(2)) {
      text.append("<a:link rel='hub' href='%s'/>".formatted(oneIn(3) ? escaped(one(ODD)) : hub));
    }
    element(text, "ttl", number());
    element(text, "sy:updatePeriod", one(PERIODS));
    element(text, "sy:updateFrequency", number());
    element(text, "sy:updateBase", one(DATES));
    element(text, "lastBuildDate", one(DATES));
    element(text, "link", one(ODD) + one(ODD));
    element(text, "source:cloud", one(ODD));
    if (oneIn(3)) {
      text.append("<skipHours>");
      for (int i = 0; i < 24; i++) {
        text.append("<hour>").append(oneIn(5) ? number() : i).append("</hour>");
      }
      text.append("</skipHours><skipDays><day>M</day><day>Sunday</day><day/></skipDays>");
    }
    if (oneIn(4)) {
      text.append(
          "<cloud domain='%s' port='%s' path='%s' registerProcedure='x' protocol='%s'/>"
              .formatted(
                  oneIn(2) ? "127.0.0.1" : escaped(one(ODD)),
                  number(),
                  escaped(one(ODD)),
                  one(List.of("http-post", "xml-rpc", "soap", "x"))));
    }
    for (int i = random.nextInt(5); i >= 0; i--) {
      text.append("<item>");
      element(text, "guid", oneIn(3) ? one(ODD).repeat(3_000) : Long.toString(random.nextLong()));
      element(text, "title", "News " + escaped(one(ODD)));
      element(text, "link", one(ODD) + one(ODD));
      element(text, "pubDate", one(DATES));
      if (oneIn(4)) {
        text.append(
            "<enclosure url='%s' length='%s' type='%s'/>"
                .formatted(escaped(one(ODD)), number(), escaped(one(ODD))));
      }
      text.append("</item>");
    }
    return text.append("</channel></rss>").toString();
  }

  private void element(StringBuilder text, String name, String value) {
    if (!oneIn(3)) {
      text.append("<%s>%s</%s>".formatted(name, escaped(value), name));
    }
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("'", "&apos;")
        .replace("\"", "&quot;");
  }
}
