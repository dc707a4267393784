package io.feedbridge.gateway.demo;

/** The demo's feeds, by the way in which their news reach the gateway. */
enum Source {
  RSSCLOUD("rssCloud", "cloud.xml", "names a cloud, which tells the gateway that it has changed"),
  WEBSUB("WebSub", "hub.xml", "names a hub, which sends the gateway the news themselves"),
  POLLING("polling", "plain.xml", "names neither, so the gateway looks at it every second");

  private final String label;
  private final String file;
  private final String story;

  Source(String label, String file, String story) {
    this.label = label;
    this.file = file;
    this.story = story;
  }

  /** How the news come in, in a word. */
  String label() {
    return label;
  }

  /** The last segment of the feed's URL. */
  String file() {
    return file;
  }

  /** The feed's offer and its effect: a sentence without its subject, which is the file. */
  String story() {
    return story;
  }
}
