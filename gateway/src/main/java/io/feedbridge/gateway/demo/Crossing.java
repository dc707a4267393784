package io.feedbridge.gateway.demo;

import io.feedbridge.gateway.store.Protocol;
import java.util.ArrayList;
import java.util.List;

/** One of the ways through the gateway: in by one protocol, or none, and out by another. */
record Crossing(Source from, Protocol to) {

  /** All six, in the order of the sources. */
  static List<Crossing> all() {
    List<Crossing> all = new ArrayList<>();
    for (Source source : Source.values()) {
      all.addAll(of(source));
    }
    return all;
  }

  /** Those that begin at a source. */
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
