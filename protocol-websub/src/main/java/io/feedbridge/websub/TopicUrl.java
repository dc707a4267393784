package io.feedbridge.websub;

/** The one spelling under which a topic is known. */
public final class TopicUrl {
  /** The longest topic, in characters, before and after normalization. */
  public static final int MAX_LENGTH = HttpUrl.MAX_LENGTH;

  private TopicUrl() {}

  /**
   * Normalizes a topic: scheme and host in lower case, no default port, a path of at least "/", no
   * percent-encoding of unreserved characters, the others in capitals, and ASCII only. A normalized
   * topic is returned unchanged.
   *
   * @throws BadHubRequestException if the URL is not an absolute http or https URL of at most
   *     {@value #MAX_LENGTH} characters without user information and fragment
   */
  public static String normalize(String url) throws BadHubRequestException {
    return normalize(HubParameter.TOPIC, url);
  }

  /**
   * {@link #normalize(String)} for a URL of another parameter.
   *
   * @param parameter the name of the parameter, for the reason
   */
  public static String normalize(String parameter, String url) throws BadHubRequestException {
    if (url.length() <= MAX_LENGTH && url.indexOf('#') >= 0) {
      throw new BadHubRequestException(
          parameter
              + " has a fragment. That selects a part of a document, which this hub does not offer;"
              + " give the URL up to the #");
    }
    String topic = HttpUrl.parse(parameter, url).normalized();
    if (topic.length() > MAX_LENGTH) {
      throw new BadHubRequestException(
          parameter + " is longer than " + MAX_LENGTH + " characters once it is percent-encoded");
    }
    return topic;
  }
}
