package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.bench.data.Hosts;
import io.feedbridge.gateway.bench.data.Secrets;
import io.feedbridge.websub.Signature;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The records of the sink. Used by its event loop alone. */
final class SinkBook {

  /** The signature of one in so many is computed. */
  private static final int CHECKED_ONE_IN = 100;

  private static final String HMAC = "HmacSHA256";

  private final Roll gateway;
  private final Roll reference;
  private Roll current;
  private boolean signed;
  private byte[] mark = {};
  private long count;
  private String sampleHead = "";
  private byte[] sampleBody = {};

  SinkBook(int subscriptions) {
    gateway = new Roll(subscriptions);
    reference = new Roll(subscriptions);
    current = gateway;
  }

  /**
   * Begins a batch.
   *
   * @param bodyMark the mark that each body must contain
   */
  CompletableFuture<Roll.Arrivals> begin(
      Hosts.Sender sender,
      int subscriptions,
      int each,
      boolean isSigned,
      String bodyMark,
      long nowMicros) {
    current = sender == Hosts.Sender.GATEWAY ? gateway : reference;
    signed = isSigned;
    mark = bodyMark.getBytes(StandardCharsets.UTF_8);
    count = 0;
    return current.begin(subscriptions, each, System.nanoTime(), nowMicros);
  }

  int received() {
    return current.received();
  }

  Roll.Arrivals arrivals() {
    return current.arrivals();
  }

  String sampleHead() {
    return sampleHead;
  }

  byte[] sampleBody() {
    return sampleBody;
  }

  /** Whether the body of the delivery that begins is wanted, for its signature to be computed. */
  boolean wantsBody() {
    return count++ % CHECKED_ONE_IN == 0;
  }

  /**
   * A delivery is complete.
   *
   * @param body null where it was not wanted
   */
  void came(SinkHead head, byte @org.jspecify.annotations.Nullable [] body) {
    Roll roll = head.sender == 's' ? gateway : reference;
    if (head.event == 0 || signed == head.signature.isEmpty()) {
      roll.wrong("no event, or a signature where there should be none, or none: " + head.text());
    }
    if (body != null) {
      check(roll, head, body);
    }
    roll.came(head.subscription, head.event, System.nanoTime());
  }

  /**
   * A verification came. The gateway sends one for each subscription; the reference counts its
   * requests in the challenge.
   */
  void verified(SinkHead head) {
    boolean isGateway = head.sender == 's';
    Roll roll = isGateway ? gateway : reference;
    roll.came(head.subscription, isGateway ? 1 : Long.parseLong(head.challenge), System.nanoTime());
  }

  private void check(Roll roll, SinkHead head, byte[] body) {
    roll.checked();
    if (signed && !isSound(head, body)) {
      roll.wrong("a signature that is not that of the body: " + head.text());
    }
    if (!holdsMark(body)) {
      roll.wrong("another document than the one that was published: " + head.text());
    }
    sampleHead = head.text();
    sampleBody = body;
  }

  private static boolean isSound(SinkHead head, byte[] body) {
    return head.webhookId.isEmpty()
        ? Signature.verify(head.signature, Secrets.of(head.subscription), body)
        : head.signature.equals(webhookSignature(head, body));
  }

  private static String webhookSignature(SinkHead head, byte[] body) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(
          new SecretKeySpec(
              Secrets.of(head.subscription).getBytes(StandardCharsets.US_ASCII), HMAC));
      mac.update((head.webhookId + "." + head.webhookTime + ".").getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + HMAC, e);
    }
  }

  private boolean holdsMark(byte[] body) {
    for (int at = 0; at <= body.length - mark.length; at++) {
      int same = 0;
      while (same < mark.length && body[at + same] == mark[same]) {
        same++;
      }
      if (same == mark.length) {
        return true;
      }
    }
    return false;
  }
}
