package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.Optional;

/**
 * Writes parameters as application/x-www-form-urlencoded, in the order given. A space becomes %20,
 * which decoders of forms and decoders of plain URL queries both understand.
 */
final class FormWriter {
  private final StringBuilder form = new StringBuilder();

  FormWriter add(String name, String value) {
    if (!form.isEmpty()) {
      form.append('&');
    }
    form.append(encode(name)).append('=').append(encode(value));
    return this;
  }

  FormWriter add(String name, Optional<String> value) {
    value.ifPresent(v -> add(name, v));
    return this;
  }

  /** The form as a body. */
  String body() {
    return form.toString();
  }

  /**
   * The form as an addition to the query of a callback, which stays byte for byte as it is (WebSub
   * §5.3).
   */
  String appendedTo(String callback) {
    String separator = "?";
    if (callback.indexOf('?') >= 0) {
      separator = callback.endsWith("?") || callback.endsWith("&") ? "" : "&";
    }
    return callback + separator + form;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }
}
