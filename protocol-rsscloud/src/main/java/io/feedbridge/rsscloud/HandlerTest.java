package io.feedbridge.rsscloud;

import java.util.random.RandomGenerator;

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

  /** The form to send as {@link RssCloud#FORM_CONTENT_TYPE}; empty for a GET. */
  String body();

  /**
   * Whether the handler's answer lets the registration pass.
   *
   * @param status the HTTP status
   * @param answer the body, of which the caller may have read only a bounded beginning
   */
  boolean passedBy(int status, String answer);

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
    return registration.domainGiven()
        ? new Challenge(registration.callback(), feedUrl, challenge)
        : new Notify(new Notification(registration.callback(), feedUrl));
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
    public String body() {
      return notification.body();
    }

    @Override
    public boolean passedBy(int status, String answer) {
      return notification.acceptedBy(status);
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
    public String body() {
      return "";
    }

    @Override
    public boolean passedBy(int status, String answer) {
      return status >= 200 && status <= 299 && answer.contains(challenge);
    }
  }
}
