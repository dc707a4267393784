package io.feedbridge.gateway.relay;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.guard.RelayTarget;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Link;
import io.feedbridge.rsscloud.BadResultException;
import io.feedbridge.rsscloud.BadRpcException;
import io.feedbridge.rsscloud.PingResult;
import io.feedbridge.rsscloud.RpcAnswer;
import io.feedbridge.rsscloud.RpcCall;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.rsscloud.RpcValue;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.Optional;

/** The pings of each protocol, and the meaning of their answers. */
final class RelayCall {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_ANSWER = 64 << 10;
  private static final String FORM = "application/x-www-form-urlencoded";

  private RelayCall() {}

  /** The ping that tells a target of a change. */
  static Call of(RelayTarget target, String topic, Feed feed, GatewayPath path) {
    Call.Builder call =
        switch (target.protocol()) {
          case HUB ->
              form(target, "hub.mode=publish&hub.url=%s&hub.topic=%1$s".formatted(encoded(topic)));
          case CLOUD -> form(target, "url=" + encoded(topic));
          case WEBLOGS ->
              Call.post(target.url(), Purpose.FETCH, updates(topic, feed))
                  .header("Content-Type", RpcProtocol.CONTENT_TYPE);
          case GET ->
              Call.get(
                  target
                      .url()
                      .replace(RelayTarget.FEED_PLACE, encoded(topic))
                      .replace(RelayTarget.PAGE_PLACE, encoded(page(topic, feed))),
                  Purpose.FETCH);
        };
    return call.header(GatewayPath.HEADER, path.header())
        .truncateBodyAt(MAX_ANSWER)
        .timeout(TIMEOUT)
        .build();
  }

  private static Call.Builder form(RelayTarget target, String form) {
    return Call.post(target.url(), Purpose.FETCH, form.getBytes(UTF_8))
        .header("Content-Type", FORM);
  }

  private static byte[] updates(String topic, Feed feed) {
    String title = feed.title() == null ? topic : feed.title();
    return RpcProtocol.XML_RPC.writeCall(
        RpcCall.of(
            "weblogUpdates.ping", new RpcValue.Text(title), new RpcValue.Text(page(topic, feed))));
  }

  /** The page of a feed; its own URL where it names none. */
  private static String page(String topic, Feed feed) {
    return feed.links().stream()
        .filter(link -> "alternate".equals(link.rel()))
        .map(Link::href)
        .filter(url -> url.startsWith("http"))
        .findFirst()
        .orElse(topic);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  /** The refusal that a successful answer may be all the same. */
  static Optional<String> refusal(RelayTarget target, Reply reply) {
    return switch (target.protocol()) {
      case CLOUD -> ofCloud(reply);
      case WEBLOGS -> ofWeblogs(reply);
      case HUB, GET -> Optional.empty();
    };
  }

  /** Many clouds answer a ping with a text of their own. */
  private static Optional<String> ofCloud(Reply reply) {
    try {
      PingResult result = PingResult.parse(reply.body());
      return result.success() ? Optional.empty() : Optional.of(result.msg());
    } catch (BadResultException none) {
      return Optional.empty();
    }
  }

  private static Optional<String> ofWeblogs(Reply reply) {
    try {
      RpcAnswer answer =
          RpcProtocol.XML_RPC.readAnswer(
              reply.body(), reply.headers().first("Content-Type").orElse(null));
      if (answer instanceof RpcAnswer.Fault fault) {
        return Optional.of(fault.message());
      }
      return answer instanceof RpcAnswer.Result result
              && result.value() instanceof RpcValue.Fields fields
              && fields.values().get("flerror") instanceof RpcValue.Bool wrong
              && wrong.truth()
          ? Optional.of(String.valueOf(fields.values().get("message")))
          : Optional.empty();
    } catch (BadRpcException e) {
      return Optional.of("its answer cannot be read: " + e.getMessage());
    }
  }
}
