package io.feedbridge.gateway.demo;

import io.feedbridge.gateway.store.subscriptions.Protocol;
import java.util.ArrayList;
import java.util.List;

/** A way through the gateway: in by one protocol, or by polling, and out by another. */
record Crossing(Source from, Protocol to) {

  /** All six crossings, in the order of the sources. */
  static List<Crossing> all() {
    List<Crossing> all = new ArrayList<>();
    for (Source source : Source.values()) {
      all.addAll(of(source));
    }
    return all;
  }

  /** The crossings that begin at a source. */
  static List<Crossing> of(Source source) {
    return List.of(new Crossing(source, Protocol.WEBSUB), new Crossing(source, Protocol.RSSCLOUD));
  }

  /** How the news go out, in a word. */
  String out() {
    return switch (to) {
      case WEBSUB -> "WebSub";
      case RSSCLOUD -> "rssCloud";
      case WEBHOOK -> "webhook";
    };
  }

  @Override
  public String toString() {
    return from.label() + " → " + out();
  }
}
