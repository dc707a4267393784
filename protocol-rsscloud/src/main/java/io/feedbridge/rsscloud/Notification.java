package io.feedbridge.rsscloud;

/**
 * What a cloud sends by http-post or https-post when a feed has changed. Any 2xx is good, whatever
 * its body ("the return value is ignored").
 *
 * @param callback where to POST it
 * @param feedUrl the feed, as it was registered
 */
public record Notification(String callback, String feedUrl) {

  /** The form to POST as {@link RssCloud#FORM_CONTENT_TYPE}. */
  public String body() {
    return Form.parameter("url", feedUrl);
  }

  /** The content type of the body. */
  public String contentType() {
    return RssCloud.FORM_CONTENT_TYPE;
  }

  /** Whether the aggregator took it. */
  public boolean acceptedBy(int status) {
    return status >= 200 && status <= 299;
  }
}
