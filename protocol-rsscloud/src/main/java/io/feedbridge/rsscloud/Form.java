package io.feedbridge.rsscloud;

import static io.feedbridge.rsscloud.RssCloud.MAX_URLS;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A decoded form, read by the rules that registrations, pings and notifications share. */
final class Form {

  private static final Pattern URL_PARAMETER = Pattern.compile("url(\\d{0,9})");

  /** Sorts the bare {@code url} before every numbered one. */
  private static final int BARE = -1;

  private final Map<String, List<String>> parameters;

  Form(Map<String, List<String>> parameters) {
    this.parameters = parameters;
  }

  /**
   * The value of a parameter that has only one; empty if it is not there.
   *
   * @throws MalformedException if it is there several times with different values
   */
  Optional<String> single(String name) throws MalformedException {
    List<String> values = parameters.getOrDefault(name, List.of());
    if (values.stream().distinct().limit(2).count() > 1) {
      throw new MalformedException(name + " is given more than once, with different values");
    }
    return values.stream().findFirst();
  }

  /**
   * The feeds of {@code url} and {@code url1…urlN}, by number whatever their order in the form,
   * each once. Gaps and empty values are passed over.
   *
   * @throws MalformedException if there is none, there are too many, or one is no web URL
   */
  List<String> urls() throws MalformedException {
    SortedMap<Integer, List<String>> byNumber = new TreeMap<>();
    parameters.forEach(
        (name, values) -> {
          Matcher matcher = URL_PARAMETER.matcher(name);
          if (matcher.matches()) {
            int number = matcher.group(1).isEmpty() ? BARE : Integer.parseInt(matcher.group(1));
            byNumber.computeIfAbsent(number, n -> new ArrayList<>()).addAll(values);
          }
        });
    List<String> given =
        byNumber.values().stream().flatMap(List::stream).filter(url -> !url.isBlank()).toList();
    if (given.isEmpty()) {
      throw new MalformedException("no feed is named: give its URL as url or url1");
    }
    if (given.size() > MAX_URLS) {
      throw new MalformedException(
          given.size() + " feeds are named, at most " + MAX_URLS + " may be in one call");
    }
    for (String url : given) {
      Optional<String> problem = WebUrl.problem(url);
      if (problem.isPresent()) {
        throw new MalformedException("the feed " + WebUrl.quoted(url) + " " + problem.get());
      }
    }
    return List.copyOf(new LinkedHashSet<>(given));
  }

  /** One parameter as it stands in an urlencoded form or a query, in UTF-8. */
  static String parameter(String name, String value) {
    // A space is %20 in both places, "+" only in a form.
    return name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
