package io.feedbridge.gateway.demo;

import java.util.Locale;

/** The parties of the demo, as lines of the commentary name them. */
enum Actor {
  PUBLISHER(Screen.Style.YELLOW),
  CLOUD(Screen.Style.BLUE),
  HUB(Screen.Style.MAGENTA),
  GATEWAY(Screen.Style.BOLD),
  SUBSCRIBER(Screen.Style.CYAN),
  AGGREGATOR(Screen.Style.CYAN);

  private final Screen.Style style;

  Actor(Screen.Style style) {
    this.style = style;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  Screen.Style style() {
    return style;
  }
}
