package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.websub.SignatureMethod;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A subscription of the harness, with a callback of its own.
 *
 * @param host of the callback
 * @param path of the callback
 * @param method of its signatures by WebSub; null if it has no secret there
 */
record Follower(
    String path,
    Topic topic,
    Kind kind,
    Temper temper,
    SinkHost.Place host,
    @Nullable SignatureMethod method) {

  /** What every WebSub subscription asks for; {@link #lease} says what is granted. */
  private static final Duration WEBSUB_LEASE = Duration.ofDays(3);

  private static final Duration RSSCLOUD_LEASE = Duration.ofHours(25);

  /** In which one that wants few documents gets one. */
  static final Duration WINDOW = Duration.ofSeconds(10);

  /** What it is sent. */
  enum Kind {
    ATOM,
    JSON,
    RAW,
    /** JSON with the titles of new entries alone, one document at most in {@link #WINDOW}. */
    SELDOM,
    /** Atom, and digests beside it. */
    DIGEST,
    /** rssCloud: only that the topic changed. */
    LIGHT,
    /** A JSON webhook, which has a cursor of its own over the whole log. */
    WEBHOOK,
    /** A webhook with the wishes of {@link #SELDOM}. */
    SELDOM_WEBHOOK,
    /** A webhook whose messages are made by a template. */
    TEMPLATE_WEBHOOK,
    /** A webhook that is a room of Matrix: a document may come as several messages. */
    ROOM_WEBHOOK;

    /** Whether it is subscribed by WebSub. */
    boolean isAtHub() {
      return this != LIGHT && !isWebhook();
    }

    boolean isWebhook() {
      return switch (this) {
        case WEBHOOK, SELDOM_WEBHOOK, TEMPLATE_WEBHOOK, ROOM_WEBHOOK -> true;
        case ATOM, JSON, RAW, SELDOM, DIGEST, LIGHT -> false;
      };
    }

    boolean isSeldom() {
      return this == SELDOM || this == SELDOM_WEBHOOK;
    }

    /** Whether it gets each entry once, and nothing else but digests. */
    boolean isDocument() {
      return this != LIGHT && this != RAW;
    }
  }

  /** How it behaves until the harness asks everybody to be well. */
  enum Temper {
    WELL,
    /** Answers 500 at random, never twice in a row. */
    FAILING,
    /** Takes seconds. */
    SLOW,
    /** Ends the connection at random, with a reset or without, never twice in a row. */
    RESETTING,
    /** Answers nothing in some lives of the gateway. */
    HANGING,
    /** Cannot be reached in some lives of the gateway. */
    DEAD,
    /** Answers 410 one day. */
    LEAVING,
    /** One of many of the same topic. */
    CROWD
  }

  String callback() {
    return host.url() + "/" + path;
  }

  Duration lease() {
    return kind == Kind.LIGHT ? RSSCLOUD_LEASE : WEBSUB_LEASE;
  }

  /** The secret of a request for it, counted from 0; null if it has none. */
  @Nullable String secret(int number) {
    if (kind.isWebhook()) {
      byte[] key = "%-24s".formatted(path).getBytes(StandardCharsets.UTF_8);
      return WebhookSecret.PREFIX + Base64.getEncoder().encodeToString(key);
    }
    return method == null ? null : "secret %d of %s".formatted(number, path);
  }

  @Override
  public String toString() {
    return path;
  }
}
