package io.feedbridge.gateway.crash;

/**
 * A feed of the harness. Its entries are numbered from 1, in the order in which they are published;
 * entry 0 is there from the beginning and news to nobody.
 *
 * @param name as in the ids of its entries
 * @param url under which it is followed
 */
record Topic(String name, Way way, String url) {

  /** How the gateway learns of its entries. */
  enum Way {
    /** {@code hub.mode=publish} at the gateway's hub. */
    HUB_PING,
    /** An rssCloud ping at the gateway's cloud. */
    CLOUD_PING,
    /** A signed delivery from its own hub, and nothing else: its origin never has them. */
    FAT,
    /** A notification from its own cloud. */
    NOTIFIED,
    /** Nobody says anything; the gateway has to look. */
    POLLED,
    /** A part of an HTML page is followed, and the page is pinged at the gateway's hub. */
    PAGE,
    /** A part of a JSON document is followed, and the document is pinged at the gateway's hub. */
    DATA,
    /**
     * A list is followed, and a feed that stays in it is pinged at the gateway's hub; other feeds
     * join the list and leave it meanwhile.
     */
    LIST;

    /** Whether only a part is followed, in which its newest entry stands alone. */
    boolean isPart() {
      return this == PAGE || this == DATA;
    }
  }

  String id(int entry) {
    return name + "-" + entry;
  }

  /** The URL of the file that the origin serves. */
  String document() {
    return url.replaceFirst("#.*", "");
  }

  /** The file that the origin serves. */
  String path() {
    return path(name, way);
  }

  /** The feed of a list that has the entries. */
  Topic member() {
    return new Topic(name, Way.HUB_PING, url.replaceFirst("\\.opml$", ".xml"));
  }

  static String path(String name, Way way) {
    return switch (way) {
      case HUB_PING, CLOUD_PING, FAT, NOTIFIED, POLLED -> name + ".xml";
      case PAGE -> name + ".html";
      case DATA -> name + ".json";
      case LIST -> name + ".opml";
    };
  }

  @Override
  public String toString() {
    return name;
  }
}
