package io.feedbridge.rsscloud;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A publisher's word that feeds have changed.
 *
 * @param urls the feeds, 1 to {@link RssCloud#MAX_URLS}, none twice
 */
public record Ping(List<String> urls) {

  /** Copies the list. */
  public Ping {
    urls = List.copyOf(urls);
  }

  /**
   * Reads the form, or query, of a REST ping. Beside the documented {@code url}, several of them
   * and {@code url1…urlN} count.
   *
   * @throws BadPingException with a sentence for the caller if no feed is named or one is no URL
   */
  public static Ping parse(Map<String, List<String>> form) throws BadPingException {
    try {
      return new Ping(new Form(form).urls());
    } catch (MalformedException e) {
      throw new BadPingException(e.getMessage());
    }
  }

  /**
   * The ping that names these feeds.
   *
   * @throws BadPingException with a sentence for the caller if there is none or one is no URL
   */
  static Ping of(List<String> urls) throws BadPingException {
    return parse(Map.of("url", urls));
  }

  /** The form to POST to a cloud as {@link RssCloud#FORM_CONTENT_TYPE}. */
  public String body() {
    return urls.stream().map(url -> Form.parameter("url", url)).collect(Collectors.joining("&"));
  }
}
