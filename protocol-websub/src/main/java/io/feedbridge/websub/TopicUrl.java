package io.feedbridge.websub;

import java.util.Optional;

/** The one spelling under which a topic is known. */
public final class TopicUrl {
  /** The longest topic, in characters, before and after normalization. */
  public static final int MAX_LENGTH = HttpUrl.MAX_LENGTH;

  private TopicUrl() {}

  /**
   * Normalizes a topic: scheme and host in lower case, no default port, a path of at least "/", no
   * percent-encoding of unreserved characters, the others in capitals, and ASCII only. A fragment,
   * which selects a part of the document, has one spelling for each text; an empty one is dropped.
   * A normalized topic is returned unchanged.
   *
   * @throws BadHubRequestException if the URL is not an absolute http or https URL of at most
   *     {@value #MAX_LENGTH} characters without user information
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
    int hash = url.length() <= MAX_LENGTH ? url.indexOf('#') : -1;
    String document = hash < 0 ? url : url.substring(0, hash);
    String selection = hash < 0 ? "" : Fragment.normalize(parameter, url.substring(hash + 1));
    String topic =
        HttpUrl.parse(parameter, document).normalized()
            + (selection.isEmpty() ? "" : "#" + selection);
    if (topic.length() > MAX_LENGTH) {
      throw new BadHubRequestException(
          parameter + " is longer than " + MAX_LENGTH + " characters once it is percent-encoded");
    }
    return topic;
  }

  /**
   * {@link #normalize(String, String)} for a ping, which is for the whole document: publishers ping
   * the link of a comment, say.
   */
  public static String pinged(String parameter, String url) throws BadHubRequestException {
    return document(normalize(parameter, url));
  }

  /** The URL of the document that a topic is, or is a part of. */
  public static String document(String topic) {
    int hash = topic.indexOf('#');
    return hash < 0 ? topic : topic.substring(0, hash);
  }

  /** The text by which a normalized topic selects a part of its document; empty for a whole one. */
  public static Optional<String> selection(String topic) {
    int hash = topic.indexOf('#');
    return hash < 0 ? Optional.empty() : Optional.of(Fragment.text(topic.substring(hash + 1)));
  }
}
