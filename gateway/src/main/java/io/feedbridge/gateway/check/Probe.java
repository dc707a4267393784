package io.feedbridge.gateway.check;

import io.feedbridge.gateway.upstream.TrialSubscriptions.Trial;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The test subscription at one hub or cloud. Thread-safe. */
final class Probe {

  private final Trial trial;
  private final String key;

  /** Completes when the endpoint has confirmed the subscription; with the reason of a denial. */
  final CompletableFuture<String> confirmed = new CompletableFuture<>();

  /** Completes with whether the delivery was signed as it must be. */
  final CompletableFuture<Boolean> delivered = new CompletableFuture<>();

  private volatile @Nullable Instant pingedAt;

  Probe(Trial trial, int number) {
    this.trial = trial;
    key = Integer.toString(number);
  }

  Trial trial() {
    return trial;
  }

  boolean isHub() {
    return trial.cloud() == null;
  }

  /** The word for the endpoint. */
  String word() {
    return isHub() ? "hub" : "cloud";
  }

  /** The key of a finding about it. */
  String key(String about) {
    return about + key;
  }

  boolean isConfirmed() {
    return confirmed.isDone() && confirmed.join().isEmpty();
  }

  boolean isDelivered() {
    return delivered.isDone();
  }

  void pinged(Instant now) {
    pingedAt = now;
  }

  /** The time from the ping to a delivery; empty for one that came before. */
  String delay(Instant now) {
    Instant since = pingedAt;
    return since == null
        ? ""
        : ", %,d ms after the ping".formatted(Math.max(0, Duration.between(since, now).toMillis()));
  }
}
