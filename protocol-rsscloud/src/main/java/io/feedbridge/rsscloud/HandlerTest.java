package io.feedbridge.rsscloud;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The request that a cloud makes to an aggregator's handler before it records a registration: "If
 * the call fails, the registration fails."
 */
public sealed interface HandlerTest {

  /** Characters that a challenge has at least, as the first cloud sent them. */
  int MIN_CHALLENGE_LENGTH = 20;

  /** The HTTP method. */
  String method();

  /** The URL to call. */
  String url();

  /** What to send as {@link #contentType}; empty for a GET. */
  byte[] body();

  /** The content type of the body; empty for a GET. */
  Optional<String> contentType();

  /** The value of the {@code SOAPAction} header; empty where there is none. */
  Optional<String> soapAction();

  /**
   * Why the handler's answer does not let the registration pass; empty if it does.
   *
   * @param status the HTTP status
   * @param answer the body, of which the caller may have read only a bounded beginning
   * @param contentType the header of the answer; null if there is none
   */
  Optional<String> failure(int status, byte[] answer, @Nullable String contentType);

  /**
   * The test for one feed of a registration.
   *
   * @param challenge as {@link #newChallenge} makes it; sent only where a domain was given
   * @throws IllegalArgumentException if the challenge is too short to prove anything
   */
  static HandlerTest of(Registration registration, String feedUrl, String challenge) {
    if (challenge.length() < MIN_CHALLENGE_LENGTH) {
      throw new IllegalArgumentException(
          "a challenge has at least " + MIN_CHALLENGE_LENGTH + " characters");
    }
    Notification notification =
        new Notification(
            registration.callback(),
            feedUrl,
            registration.protocol(),
            registration.notifyProcedure());
    if (registration.protocol().rpc().isPresent()) {
      return new Procedure(notification, registration.domainGiven());
    }
    return registration.domainGiven()
        ? new Challenge(registration.callback(), feedUrl, challenge)
        : new Notify(notification);
  }

  /**
   * A challenge of letters and digits, which no handler escapes.
   *
   * @param random a {@code SecureRandom}, where guessing must not pay
   */
  static String newChallenge(RandomGenerator random) {
    return random
        .ints(Challenge.LENGTH, 0, Challenge.ALPHABET.length())
        .collect(
            StringBuilder::new,
            (text, index) -> text.append(Challenge.ALPHABET.charAt(index)),
            StringBuilder::append)
        .toString();
  }

  /** Without a domain: a notification like any other, to the caller's own address. */
  record Notify(Notification notification) implements HandlerTest {

    @Override
    public String method() {
      return "POST";
    }

    @Override
    public String url() {
      return notification.callback();
    }

    @Override
    public byte[] body() {
      return notification.body();
    }

    @Override
    public Optional<String> contentType() {
      return Optional.of(notification.contentType());
    }

    @Override
    public Optional<String> soapAction() {
      return Optional.empty();
    }

    @Override
    public Optional<String> failure(int status, byte[] answer, @Nullable String contentType) {
      return notification.refusal(status, answer, contentType);
    }
  }

  /**
   * Over xml-rpc and soap: a call of the procedure that was named. Where a domain was given, the
   * host may be anyone's, and a web server that answers 200 to whatever it is sent must not pass
   * for a handler: what it answers must be an answer of the protocol.
   */
  record Procedure(Notification notification, boolean domainGiven) implements HandlerTest {

    @Override
    public String method() {
      return "POST";
    }

    @Override
    public String url() {
      return notification.callback();
    }

    @Override
    public byte[] body() {
      return notification.body();
    }

    @Override
    public Optional<String> contentType() {
      return Optional.of(notification.contentType());
    }

    @Override
    public Optional<String> soapAction() {
      return notification.soapAction();
    }

    @Override
    public Optional<String> failure(int status, byte[] answer, @Nullable String contentType) {
      Optional<String> refusal = notification.refusal(status, answer, contentType);
      if (refusal.isPresent() || !domainGiven) {
        return refusal;
      }
      boolean read =
          notification
              .protocol()
              .rpc()
              .flatMap(rpc -> Notification.answer(rpc, answer, contentType))
              .isPresent();
      return read
          ? Optional.empty()
          : Optional.of(
              "HTTP %d, and no answer of %s".formatted(status, notification.protocol().wireName()));
    }
  }

  /** With a domain: the host named may be anyone's, so it must show that it wants this. */
  record Challenge(String callback, String feedUrl, String challenge) implements HandlerTest {

    private static final int LENGTH = 32;
    private static final String ALPHABET =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    @Override
    public String method() {
      return "GET";
    }

    @Override
    public String url() {
      return WebUrl.withQuery(
          callback, Form.parameter("url", feedUrl) + "&" + Form.parameter("challenge", challenge));
    }

    @Override
    public byte[] body() {
      return new byte[0];
    }

    @Override
    public Optional<String> contentType() {
      return Optional.empty();
    }

    @Override
    public Optional<String> soapAction() {
      return Optional.empty();
    }

    @Override
    public Optional<String> failure(int status, byte[] answer, @Nullable String contentType) {
      boolean passed =
          status >= 200
              && status <= 299
              && new String(answer, StandardCharsets.UTF_8).contains(challenge);
      return passed
          ? Optional.empty()
          : Optional.of("HTTP " + status + ", where a 2xx with the challenge was needed");
    }
  }
}
