package io.feedbridge.gateway.load;

import io.feedbridge.gateway.load.LocalHosts.Answer;
import io.netty.handler.codec.http.FullHttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** When each entry first arrived at each callback. */
final class Arrivals implements LocalHosts.Handler {

  private static final Pattern ENTRY =
      Pattern.compile(">(entry-[^<]+)</(?:dc:identifier|guid|id)>");

  private final Map<String, Map<String, Long>> byEntry = new ConcurrentHashMap<>();

  @Override
  public Answer handle(LocalHost host, FullHttpRequest request) {
    long now = System.nanoTime();
    String callback = host.url(request.uri().substring(1));
    Matcher entries = ENTRY.matcher(request.content().toString(StandardCharsets.UTF_8));
    while (entries.find()) {
      at(entries.group(1)).putIfAbsent(callback, now);
    }
    return Answer.TAKEN;
  }

  private Map<String, Long> at(String entry) {
    return byEntry.computeIfAbsent(entry, any -> new ConcurrentHashMap<>());
  }

  boolean reached(String entry, Collection<String> callbacks) {
    return at(entry).keySet().containsAll(callbacks);
  }

  int count(String entry) {
    return at(entry).size();
  }

  /**
   * The delays of an entry's arrivals.
   *
   * @param since what {@link System#nanoTime} said when it was published
   * @param longest what it took whoever does not have it yet, in nanoseconds
   */
  Percentiles delays(String entry, Collection<String> callbacks, long since, long longest) {
    Map<String, Long> arrivals = at(entry);
    return new Percentiles(
        callbacks.stream()
            .mapToLong(
                callback -> Math.max(0, arrivals.getOrDefault(callback, since + longest) - since))
            .toArray());
  }
}
