package io.feedbridge.gateway.bridge;

/**
 * A URL of a bridged feed, taken apart.
 *
 * @param topic the feed itself, normalised
 */
public record BridgedUrl(String topic, Kind kind) {

  /** The format of a bridged feed. */
  public enum Kind {
    ATOM("/feed.atom", "application/atom+xml; charset=utf-8"),
    RSS("/feed.rss", "application/rss+xml; charset=utf-8"),
    JSON("/feed.json", "application/feed+json; charset=utf-8");

    private final String path;
    private final String contentType;

    Kind(String path, String contentType) {
      this.path = path;
      this.contentType = contentType;
    }

    /** Where it is served. */
    public String path() {
      return path;
    }

    /** The media type that it is served with. */
    public String contentType() {
      return contentType;
    }
  }
}
