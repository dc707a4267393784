package io.feedbridge.rsscloud;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A ping as ping services take it: {@code weblogUpdates.ping(name, url)}, {@code
 * weblogUpdates.extendedPing(name, homepage, changedPage, feed[, tags])}, or the same two fields of
 * {@code pingSiteForm}. The wild has all kinds: WordPress puts the feed in the third place, others
 * swap name and URL or leave some empty.
 *
 * @param name of the site, at most {@value #MAX_NAME_LENGTH} characters; its URL where there is
 *     none
 * @param candidates the URLs in the order in which they are to be looked for among the feeds and
 *     pages that are known: the last parameter first; empty where no parameter is a URL
 * @param feed the URL in the place in which an extendedPing names the feed; empty where there is
 *     none
 */
public record WeblogPing(String name, List<String> candidates, Optional<String> feed) {

  /** Characters of a site's name that are kept. */
  public static final int MAX_NAME_LENGTH = 255;

  /** The message of an answer to a ping that names no site. */
  public static final String NO_URL =
      "No parameter is the URL of a site or feed: give a name and an http or https URL.";

  /** The position of the feed's URL among the parameters, from 0. */
  private static final int FEED_PLACE = 3;

  /** Copies the list. */
  public WeblogPing {
    candidates = List.copyOf(candidates);
  }

  /** The ping of a call. */
  static WeblogPing of(RpcCall call) {
    return of(call.texts());
  }

  /** The extended ping of a call: the feed is the fourth parameter, the third where it is last. */
  static WeblogPing extended(RpcCall call) {
    List<String> texts = call.texts();
    WeblogPing ping = of(texts);
    int place = Math.min(texts.size() - 1, FEED_PLACE);
    Optional<String> named =
        place < FEED_PLACE - 1
            ? Optional.empty()
            : Optional.of(texts.get(place).strip()).filter(ping.candidates::contains);
    return new WeblogPing(ping.name, ping.candidates, named);
  }

  /** The ping of the parameters, in their order. */
  public static WeblogPing of(List<String> parameters) {
    List<String> urls = new ArrayList<>();
    String name = "";
    for (String parameter : parameters) {
      String text = parameter.strip();
      if (WebUrl.isValid(text)) {
        if (urls.size() < RssCloud.MAX_URLS && !urls.contains(text)) {
          urls.add(text);
        }
      } else if (name.isEmpty()) {
        name = text;
      }
    }
    String shown = name.isEmpty() && !urls.isEmpty() ? urls.get(0) : name;
    Collections.reverse(urls);
    return new WeblogPing(shortened(shown), urls, Optional.empty());
  }

  /** The beginning of a name, as much of it as is kept. */
  public static String shortened(String text) {
    int end = Math.min(text.length(), MAX_NAME_LENGTH);
    boolean half = end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
    return text.substring(0, half ? end - 1 : end);
  }

  /** The site's own URL, which is named before that of its feed; empty if there is none. */
  public Optional<String> site() {
    return candidates.isEmpty()
        ? Optional.empty()
        : Optional.of(candidates.get(candidates.size() - 1));
  }

  /** The answer to a ping that was taken. */
  public static RpcValue thanks() {
    return answer(false, PingResult.THANKS);
  }

  /** The answer to a ping of a site none of whose feeds has a subscriber: nothing is fetched. */
  public static RpcValue unfollowed(String url) {
    return answer(false, PingResult.unfollowed(List.of(url)).msg());
  }

  /** The answer to a ping that was not. */
  public static RpcValue refused(String message) {
    return answer(true, message);
  }

  private static RpcValue answer(boolean error, String message) {
    Map<String, RpcValue> fields = new LinkedHashMap<>();
    fields.put("flerror", new RpcValue.Bool(error));
    fields.put("message", new RpcValue.Text(message));
    return new RpcValue.Fields(fields);
  }
}
