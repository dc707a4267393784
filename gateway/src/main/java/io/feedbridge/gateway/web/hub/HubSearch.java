package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions.Bound;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions.Comparison;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions.Filter;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.subscribers.HubRequests;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions that a caller means, of its own: the subscriptions of a {@code hub.topic}, of a
 * {@code hub.callback}, or the ones that match {@code search[format]}, {@code search[feed.url]} or
 * {@code search[feed][url]}, and so on.
 */
final class HubSearch {

  private static final String PREFIX = "search";

  /** {@code search[a.b]} and {@code search[a][b]}. */
  private static final Pattern NAME = Pattern.compile("search((?:\\[[a-z.]{1,40}])+)");

  private static final Pattern NUMBER =
      Pattern.compile("\\s*(>=|<=|>|<|=)?\\s*(-?\\d{1,12}(?:\\.\\d{1,12})?)\\s*");

  private static final List<String> KNOWN =
      List.of(
          "format",
          "feed.url",
          "feed.inurl",
          "feed.hostname",
          "feed.velocity",
          "feed.bozo",
          "endpoint.url",
          "endpoint.inurl",
          "endpoint.hostname");

  private final HubRequests requests;
  private final HubTopics topics;

  HubSearch(HubRequests requests, HubTopics topics) {
    this.requests = requests;
    this.topics = topics;
  }

  /**
   * The filter of a search among the caller's own subscriptions.
   *
   * @throws HubRefusal if the search cannot be understood
   */
  Filter filter(HubCaller caller, HubParameters parameters) {
    Map<String, String> terms = terms(parameters);
    Filter found =
        new Filter(
            caller.login(),
            format(terms.get("format")),
            topic(terms.get("feed.url")),
            terms.get("feed.inurl"),
            terms.get("feed.hostname"),
            bound("feed.velocity", terms.get("feed.velocity")),
            bound("feed.bozo", terms.get("feed.bozo")),
            callback(caller, terms.get("endpoint.url")),
            terms.get("endpoint.inurl"),
            terms.get("endpoint.hostname"));
    String callback = callback(caller, parameters.single("hub.callback").orElse(null));
    if (callback != null) {
      found = found.at(callback);
    }
    return parameters.single("hub.topic").map(topics::of).map(found::to).orElse(found);
  }

  /** Whether a call names subscriptions by callback or search, beside their topic. */
  static boolean isNarrowed(HubParameters parameters) {
    return parameters.single("hub.callback").isPresent()
        || parameters.values().keySet().stream().anyMatch(name -> name.startsWith(PREFIX + '['));
  }

  private static Map<String, String> terms(HubParameters parameters) {
    return parameters.values().keySet().stream()
        .filter(name -> name.startsWith(PREFIX + '['))
        .filter(name -> parameters.single(name).isPresent())
        .collect(
            Collectors.toMap(
                HubSearch::term,
                name -> parameters.single(name).orElseThrow(),
                (one, other) -> {
                  throw HubRefusal.unprocessable("a search has the same term twice; send one");
                }));
  }

  private static String term(String name) {
    Matcher matcher = NAME.matcher(name);
    String term =
        matcher.matches()
            ? matcher.group(1).substring(1, matcher.group(1).length() - 1).replace("][", ".")
            : "";
    if (!KNOWN.contains(term)) {
      throw HubRefusal.unprocessable(
          "a search has the terms " + String.join(", ", KNOWN) + " alone");
    }
    return term;
  }

  private static @Nullable Format format(@Nullable String name) {
    if (name == null) {
      return null;
    }
    return switch (name) {
      case "auto" -> Format.AUTO;
      case "atom" -> Format.ATOM;
      case "json" -> Format.JSON;
      case "raw" -> Format.RAW;
      default ->
          throw HubRefusal.unprocessable("search[format] must be one of auto, atom, json, raw");
    };
  }

  private @Nullable String topic(@Nullable String url) {
    return url == null ? null : topics.of(url);
  }

  private @Nullable String callback(HubCaller caller, @Nullable String url) {
    return url == null ? null : requests.callback(url, caller.sponsor());
  }

  private static @Nullable Bound bound(String name, @Nullable String text) {
    if (text == null) {
      return null;
    }
    Matcher matcher = NUMBER.matcher(text);
    if (!matcher.matches()) {
      throw HubRefusal.unprocessable(
          "search[%s] must be a number, or a range such as >10 or <=1".formatted(name));
    }
    String sign = matcher.group(1) == null ? "=" : matcher.group(1);
    Comparison comparison =
        switch (sign) {
          case "<" -> Comparison.LESS;
          case "<=" -> Comparison.AT_MOST;
          case ">" -> Comparison.MORE;
          case ">=" -> Comparison.AT_LEAST;
          default -> Comparison.EQUAL;
        };
    return new Bound(comparison, Double.parseDouble(matcher.group(2)));
  }
}
