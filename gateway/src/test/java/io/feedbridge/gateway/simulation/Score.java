package io.feedbridge.gateway.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/** What one way of reading cost and gave. */
final class Score {

  long requests;
  long lost;
  final List<Duration> delays = new ArrayList<>();

  /** When those were published whose delays are known. */
  private final List<Instant> published = new ArrayList<>();

  void arrived(Instant at, Duration delay) {
    published.add(at);
    delays.add(delay);
  }

  void add(Score other) {
    requests += other.requests;
    lost += other.lost;
    delays.addAll(other.delays);
    published.addAll(other.published);
  }

  /** When two entries in a row had come that no push brought. */
  Optional<Instant> foundOutAt() {
    for (int i = 1; i < delays.size(); i++) {
      if (delays.get(i - 1).compareTo(FakeWeb.PUSH) > 0
          && delays.get(i).compareTo(FakeWeb.PUSH) > 0) {
        return Optional.of(published.get(i).plus(delays.get(i)));
      }
    }
    return Optional.empty();
  }

  /** Of entries that were published after that. */
  List<Duration> delaysAfter(Instant time) {
    return IntStream.range(0, delays.size())
        .filter(i -> published.get(i).isAfter(time))
        .mapToObj(delays::get)
        .toList();
  }

  Duration p95() {
    List<Duration> sorted = delays.stream().sorted().toList();
    return sorted.isEmpty() ? Duration.ZERO : sorted.get(sorted.size() * 95 / 100);
  }

  Duration longest() {
    return delays.stream().max(Duration::compareTo).orElse(Duration.ZERO);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%,d requests for %,d entries, %.2f each; delay: p95 %s, longest %s; %,d lost",
        requests,
        delays.size() + lost,
        (double) requests / Math.max(1, delays.size() + lost),
        p95(),
        longest(),
        lost);
  }
}
