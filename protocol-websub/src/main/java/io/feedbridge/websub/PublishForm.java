package io.feedbridge.websub;

import java.util.List;

/**
 * A publisher's word to a hub that topics have changed, as most hubs understand it: the form of
 * PubSubHubbub 0.3 §7.1. (WebSub leaves this message open.)
 *
 * @param topics at least one
 */
public record PublishForm(List<String> topics) {
  public PublishForm {
    topics = List.copyOf(topics);
    if (topics.isEmpty()) {
      throw new IllegalArgumentException("A publish needs a topic");
    }
  }

  /** The body to POST, application/x-www-form-urlencoded. */
  public String body() {
    FormWriter form = new FormWriter().add(HubParameter.MODE, "publish");
    topics.forEach(topic -> form.add(HubParameter.URL, topic));
    return form.body();
  }
}
