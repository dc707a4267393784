package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A body that an operator wrote as a template. */
final class Templated extends SignedTarget {

  private static final Header TEXT = new Header("Content-Type", "text/plain; charset=UTF-8");

  private final Template template;

  Templated(String url, @Nullable String token, String text) {
    super(url, Template.isJson(text) ? JSON : TEXT, token);
    template = Template.of(text);
  }

  @Override
  public List<byte[]> messages(FeedDocument document) {
    return List.of(template.render(document.json()));
  }

  /** A template of documents may make nothing of it: then it is the announcement's own JSON. */
  @Override
  public byte[] message(Announcement announcement) {
    byte[] json = announcement.withText().json();
    try {
      return template.render(json);
    } catch (BadTemplateException e) {
      return json;
    }
  }

  @Override
  public boolean refusesMessage(Reply reply) {
    return Chat.isAboutMessage(reply);
  }
}
