package io.feedbridge.rsscloud;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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

  /** The body to send, of type {@link #contentType}; empty for a GET. */
  byte[] body();

  /** The content type of the body; empty for a GET. */
  Optional<String> contentType();

  /** The value of the {@code SOAPAction} header; empty where there is none. */
  Optional<String> soapAction();

  /**
   * The same test at the URL that the handler redirects to, where its notifications go too. A
   * challenge that the redirect has dropped is added again.
   *
   * @param url absolute
   */
  HandlerTest at(String url);

  /**
   * Why the handler's answer does not let the registration pass; empty if it does.
   *
   * @param status the HTTP status
   * @param answer the body, of which the caller may have read only a bounded beginning
   * @param contentType the header of the answer; null if there is none
   */
  Optional<String> failure(int status, byte[] answer, @Nullable String contentType);

  /**
   * A further test that the handler has to pass as well, where an answer that passed leaves a
   * doubt; empty where it leaves none.
   *
   * @param answer as for {@link #failure}
   */
  default Optional<HandlerTest> further(byte[] answer) {
    return Optional.empty();
  }

  /**
   * The test that a handler may pass in place of this one, where an answer refused this one; empty
   * where there is none. A procedure that is refused in the namespace that its registration named
   * is called once more without one: some receivers dispatch by the namespace, others know none.
   */
  default Optional<HandlerTest> otherwise() {
    return Optional.empty();
  }

  /** The namespace of the procedure that the test calls; empty where there is none. */
  default String namespace() {
    return "";
  }

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
            registration.notifyProcedure(),
            registration.namespace());
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
    public HandlerTest at(String url) {
      return new Notify(notification.at(url));
    }

    @Override
    public Optional<String> failure(int status, byte[] answer, @Nullable String contentType) {
      return notification.refusal(status, answer, contentType);
    }
  }

  /**
   * Over xml-rpc and soap: a call of the named procedure. A domain in the registration may name the
   * host of a third party, and a web server that answers 200 to any request must not pass for a
   * handler: the answer must be an answer of the protocol.
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
    public HandlerTest at(String url) {
      return new Procedure(notification.at(url), domainGiven);
    }

    @Override
    public Optional<HandlerTest> otherwise() {
      return notification.namespace().isEmpty()
          ? Optional.empty()
          : Optional.of(new Procedure(notification.unqualified(), domainGiven));
    }

    @Override
    public String namespace() {
      return notification.namespace();
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

  /**
   * A registration with a domain may name the host of a third party, so the host must show that it
   * wants notifications. A handler answers with the challenge alone, or with a small page that
   * holds it. So does any page that repeats the requested address (a link to itself, a form,
   * "nothing was found at …"), which proves nothing: a second request tells the two apart.
   *
   * @param decoy whether the request has a parameter that no handler knows: a page that gives this
   *     parameter back repeats any request
   */
  record Challenge(String callback, String feedUrl, String challenge, boolean decoy)
      implements HandlerTest {

    /** The first request, which a handler of any cloud knows. */
    public Challenge(String callback, String feedUrl, String challenge) {
      this(callback, feedUrl, challenge, false);
    }

    private static final int LENGTH = 32;
    private static final String ALPHABET =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    @Override
    public String method() {
      return "GET";
    }

    @Override
    public String url() {
      String asked = Form.parameter("challenge", challenge);
      String unknown = Form.parameter("check", unasked());
      List<String> added = new ArrayList<>();
      if (!callback.contains(asked)) {
        added.add(Form.parameter("url", feedUrl));
      }
      if (decoy && !callback.contains(unknown)) {
        added.add(unknown);
      }
      if (!callback.contains(asked)) {
        added.add(asked);
      }
      return added.isEmpty() ? callback : WebUrl.withQuery(callback, String.join("&", added));
    }

    /**
     * The decoy's value: as long and random as the challenge, and before it, so that no cut hides
     * it alone.
     */
    private String unasked() {
      return new StringBuilder(challenge).reverse().toString();
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
    public HandlerTest at(String url) {
      return new Challenge(url, feedUrl, challenge, decoy);
    }

    @Override
    public Optional<String> failure(int status, byte[] answer, @Nullable String contentType) {
      String text = new String(answer, StandardCharsets.UTF_8);
      if (status < 200 || status > 299 || !text.contains(challenge)) {
        return Optional.of("HTTP " + status + " in place of a 2xx with the challenge");
      }
      return decoy && text.contains(unasked())
          ? Optional.of(
              "it returns every parameter of the request; it must return the challenge alone, or"
                  + " a page without the other parameters")
          : Optional.empty();
    }

    @Override
    public Optional<HandlerTest> further(byte[] answer) {
      boolean alone = new String(answer, StandardCharsets.UTF_8).strip().equals(challenge);
      return alone || decoy
          ? Optional.empty()
          : Optional.of(new Challenge(callback, feedUrl, challenge, true));
    }
  }
}
