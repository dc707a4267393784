package io.feedbridge.rsscloud;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Forms for tests: decoded as a server hands them over, and built from pairs. */
final class Forms {

  /** In place of a value: the parameter is not there. */
  static final String ABSENT = "(absent)";

  private Forms() {}

  static Map<String, List<String>> decode(String encoded) {
    Map<String, List<String>> form = new LinkedHashMap<>();
    for (String parameter : encoded.split("&", -1)) {
      int equals = parameter.indexOf('=');
      form.computeIfAbsent(decoded(parameter.substring(0, equals)), name -> new ArrayList<>())
          .add(decoded(parameter.substring(equals + 1)));
    }
    return form;
  }

  static Map<String, List<String>> of(String... namesAndValues) {
    Map<String, List<String>> form = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      form.computeIfAbsent(namesAndValues[i], name -> new ArrayList<>()).add(namesAndValues[i + 1]);
    }
    return form;
  }

  /** A registration that breaks no rule, with some parameters replaced or taken away. */
  static Map<String, List<String>> registration(String... namesAndValues) {
    Map<String, List<String>> form =
        of(
            "notifyProcedure", "",
            "port", "8080",
            "path", "/notify",
            "protocol", "http-post",
            "url1", "http://feeds.example/rss.xml");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      form.remove(namesAndValues[i]);
    }
    for (int i = 0; i < namesAndValues.length; i += 2) {
      if (!namesAndValues[i + 1].equals(ABSENT)) {
        form.computeIfAbsent(namesAndValues[i], name -> new ArrayList<>())
            .add(namesAndValues[i + 1]);
      }
    }
    return form;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
