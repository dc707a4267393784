package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Decodes what the library writes, as a server does. */
final class Forms {
  private Forms() {}

  static Map<String, List<String>> decode(String form) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (String pair : form.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = URLDecoder.decode(equals < 0 ? pair : pair.substring(0, equals), UTF_8);
      String value = equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), UTF_8);
      values.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
    }
    return values;
  }

  static Map<String, List<String>> queryOf(String url) {
    return decode(URI.create(url).getRawQuery());
  }

  /** A form of names and values in turn; a name may come more than once. */
  static Map<String, List<String>> form(String... namesAndValues) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      values.computeIfAbsent(namesAndValues[i], n -> new ArrayList<>()).add(namesAndValues[i + 1]);
    }
    return values;
  }

  /** A complete request to subscribe, with more parameters. */
  static Map<String, List<String>> subscribe(String... more) {
    Map<String, List<String>> values =
        form(
            "hub.mode", "subscribe",
            "hub.callback", "https://subscriber.example/cb",
            "hub.topic", "https://publisher.example/feed");
    form(more).forEach(values::put);
    return values;
  }
}
