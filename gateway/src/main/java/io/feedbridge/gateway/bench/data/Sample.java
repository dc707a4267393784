package io.feedbridge.gateway.bench.data;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * One request as the gateway has sent it, from which the same is made for any other subscription.
 *
 * @param fields in their order; parts that differ between subscriptions are replaced
 * @param body never changed
 * @param timestamp the timestamp of a webhook's message; empty for none
 */
@SuppressWarnings("ArrayRecordComponent") // shared on purpose, never compared
public record Sample(List<Field> fields, byte[] body, String timestamp) {

  private static final String HMAC = "HmacSHA256";

  /** The kind of value that is written into a field. */
  private enum Kind {
    AS_IT_IS,
    HOST,
    CALLBACK,
    EVENT,
    SIGNATURE,
    WEBHOOK_ID,
    WEBHOOK_SIGNATURE
  }

  private record Field(String name, String value, Kind kind) {}

  /** The sample of a head and a body. */
  public static Sample of(String head, byte[] body) {
    List<Field> fields = new ArrayList<>();
    head.lines()
        .skip(1)
        .filter(line -> !line.isEmpty())
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              String name = line.substring(0, colon);
              fields.add(new Field(name, line.substring(colon + 1).strip(), kind(name)));
            });
    return new Sample(
        List.copyOf(fields),
        body,
        fields.stream()
            .filter(field -> field.name.equalsIgnoreCase("webhook-timestamp"))
            .map(Field::value)
            .findFirst()
            .orElse(""));
  }

  private static Kind kind(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "host" -> Kind.HOST;
      case "x-pubsubhubbub-callback" -> Kind.CALLBACK;
      case "feedbridge-event" -> Kind.EVENT;
      case "x-hub-signature" -> Kind.SIGNATURE;
      case "webhook-id" -> Kind.WEBHOOK_ID;
      case "webhook-signature" -> Kind.WEBHOOK_SIGNATURE;
      default -> Kind.AS_IT_IS;
    };
  }

  /** The request for a subscription. */
  public FullHttpRequest request(int subscription, String authority, long event) {
    String path = Hosts.path(Hosts.Sender.REFERENCE, subscription);
    HttpHeaders headers =
        DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
    String webhookId = "msg_reference_" + event;
    for (Field field : fields) {
      headers.add(
          field.name,
          switch (field.kind) {
            case AS_IT_IS -> field.value;
            case HOST -> authority;
            case CALLBACK -> "http://" + authority + path;
            case EVENT -> Long.toString(event);
            case SIGNATURE -> "sha256=" + HexFormat.of().formatHex(mac(subscription, ""));
            case WEBHOOK_ID -> webhookId;
            case WEBHOOK_SIGNATURE ->
                "v1," + Base64.getEncoder().encodeToString(mac(subscription, webhookId));
          });
    }
    return new DefaultFullHttpRequest(
        HttpVersion.HTTP_1_1,
        HttpMethod.POST,
        path,
        Unpooled.wrappedBuffer(body),
        headers,
        EmptyHttpHeaders.INSTANCE);
  }

  private byte[] mac(int subscription, String webhookId) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(
          new SecretKeySpec(Secrets.of(subscription).getBytes(StandardCharsets.US_ASCII), HMAC));
      if (!webhookId.isEmpty()) {
        mac.update((webhookId + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      }
      return mac.doFinal(body);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + HMAC, e);
    }
  }
}
