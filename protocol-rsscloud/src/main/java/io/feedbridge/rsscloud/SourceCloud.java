package io.feedbridge.rsscloud;

import java.util.Locale;
import java.util.Optional;

/**
 * {@code <source:cloud>}: the full URL to POST a registration to.
 *
 * @param url an absolute http or https URL
 */
public record SourceCloud(String url) implements CloudEndpoint {

  /**
   * Checks the URL.
   *
   * @throws IllegalArgumentException if it is no URL; {@link #parse} reads the element of a feed
   */
  public SourceCloud {
    Optional<String> problem = WebUrl.problem(url);
    if (problem.isPresent()) {
      throw new IllegalArgumentException("the cloud's URL " + problem.get());
    }
  }

  /** Reads the text of the element; empty if it is no web URL. */
  public static Optional<SourceCloud> parse(String text) {
    return Optional.of(text.strip()).filter(WebUrl::isValid).map(SourceCloud::new);
  }

  @Override
  public String registrationUrl() {
    return url;
  }

  @Override
  public String registerProcedure() {
    return "";
  }

  @Override
  public CloudProtocol protocol() {
    boolean https = url.toLowerCase(Locale.ROOT).startsWith("https:");
    return https ? CloudProtocol.HTTPS_POST : CloudProtocol.HTTP_POST;
  }
}
