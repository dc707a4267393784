package io.feedbridge.gateway.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The scenarios that the bench measures. */
public enum Scenario {
  A("10 KB Atom to 10,000 WebSub subscriptions, each with a secret of its own, sha256"),
  B("10 KB Atom to 10,000 WebSub subscriptions without secrets"),
  C("10,000 rssCloud aggregators, http-post"),
  D("10,000 JSON webhooks of one feed"),
  E("Signed fat pings on 1,000 feeds with 10 WebSub subscribers each"),
  F("Light pings on 1,000 feeds with 100 entries of which one is new"),
  F2("Light pings as in (f), of 175 KB, with the default options and a JVM that has just started"),
  G("10 KB Atom to 1,000,000 WebSub subscriptions of one feed, on 200 addresses"),
  H("Start with 1,000,000 subscriptions and 100,000 feeds in the store"),
  I("100,000 idle feeds for ten simulated minutes"),
  J("10,000 WebSub subscriptions with their verifications, of callbacks on 100 hosts"),
  K("From the start of the process to 1,000 deliveries of its first event"),
  M("Searches in 1,000,000 entries, and 100,000 trackers at 100 entries a second");

  private final String title;

  Scenario(String title) {
    this.title = title;
  }

  /** The title, in a line. */
  public String title() {
    return title;
  }

  /** Its letter. */
  public String letter() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The scenario of a letter, in either case. */
  public static Optional<Scenario> of(String letter) {
    return Arrays.stream(values()).filter(one -> one.name().equalsIgnoreCase(letter)).findFirst();
  }

  /** All scenarios, in their order. */
  public static List<Scenario> all() {
    return List.of(values());
  }
}
