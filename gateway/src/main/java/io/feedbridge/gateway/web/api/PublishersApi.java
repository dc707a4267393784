package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.Publisher;
import io.feedbridge.gateway.store.sql.feeds.Publishers;
import io.feedbridge.gateway.web.api.model.PublisherView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.JsonBody;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Base64;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/publishers}: whose signed content is taken without a fetch (rule H17). */
final class PublishersApi {

  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int NOT_FOUND = 404;

  /** Bytes of a secret that is made here. */
  private static final int SECRET_BYTES = 32;

  private static final int MIN_SECRET = 16;
  private static final int MAX_SECRET = 199;

  private final Publishers publishers;
  private final RandomGenerator random;
  private final Clock clock;

  PublishersApi(Publishers publishers, RandomGenerator random, Clock clock) {
    this.publishers = publishers;
    this.random = random;
    this.clock = clock;
  }

  /** The request for a new publisher. */
  record New(@Nullable String topic, @Nullable String secret) {}

  /** {@code POST /publishers}. */
  Response create(Request request) {
    New asked = JsonBody.read(request, New.class);
    Publisher made =
        publishers.add(topic(asked.topic), secret(asked.secret), clock.instant()).join();
    return Answers.json(
        CREATED,
        new PublisherView.Created(
            Long.toString(made.id()), made.topic(), made.secret(), made.createdAt()));
  }

  private static String topic(@Nullable String url) {
    if (url == null) {
      throw new BadFieldException("topic", "it is missing");
    }
    return TopicField.normalized("topic", url);
  }

  private String secret(@Nullable String given) {
    if (given == null) {
      byte[] bytes = new byte[SECRET_BYTES];
      random.nextBytes(bytes);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
    int length = given.getBytes(StandardCharsets.UTF_8).length;
    if (length < MIN_SECRET || length > MAX_SECRET) {
      throw new BadFieldException(
          "secret", "it must have %d to %d bytes".formatted(MIN_SECRET, MAX_SECRET));
    }
    return given;
  }

  /** {@code GET /publishers}. */
  Response list(Request request) {
    Page page = Page.of(request);
    long after = ItemId.behind(page);
    List<Publisher> found = publishers.list(after, page.limit() + 1);
    return Answers.json(
        OK, page.items(found, PublisherView::of, publisher -> Long.toString(publisher.id())));
  }

  /** {@code DELETE /publishers/{id}}. */
  Response delete(Request request) {
    return ItemId.in(request).filter(id -> publishers.remove(id).join()).isPresent()
        ? Response.noContent()
        : Answers.problem(NOT_FOUND, "there is no such publisher");
  }
}
