package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A form that was posted to the hub. */
public sealed interface HubRequest {
  /** The first length of {@code hub.secret}, in bytes of UTF-8, that is too long (WebSub §5.1). */
  int SECRET_LENGTH_LIMIT = 200;

  /** The longest {@code hub.verify_token}, in characters. */
  int MAX_VERIFY_TOKEN_LENGTH = 1024;

  /** The most topics that one publish may name. */
  int MAX_PUBLISHED_TOPICS = 1000;

  /**
   * Reads a form. Parameters that are not known are ignored; an empty value counts as none.
   *
   * @throws BadHubRequestException for anything the hub must refuse, with the reason to send
   */
  static HubRequest parse(Map<String, List<String>> form) throws BadHubRequestException {
    return new HubRequestParser(form).parse();
  }

  /**
   * {@code hub.mode=subscribe}.
   *
   * @param callback exactly as given
   * @param topic as {@link TopicUrl#normalize} returns it: the key of the subscription
   * @param requestedTopic exactly as given: verification and denial must repeat it, because
   *     subscribers compare it with the topic that they sent
   * @param lease the requested lease; {@link LeasePolicy} decides which lease is granted
   * @param verify the first of the known {@code hub.verify} values
   * @param requestedMethod the method that {@code hub.signature_method} names
   * @param updates whether changes of known entries are wanted as well
   * @param legacy whether the request came with {@code hub.verify}, as in PubSubHubbub 0.3, whose
   *     hubs refresh such subscriptions themselves
   * @param wishes for its documents, beside their format
   */
  record Subscribe(
      String callback,
      String topic,
      String requestedTopic,
      Optional<String> secret,
      Optional<Duration> lease,
      Optional<VerifyMode> verify,
      Optional<String> verifyToken,
      Optional<ContentFormat> format,
      boolean updates,
      Optional<SignatureMethod> requestedMethod,
      boolean legacy,
      DocumentWishes wishes)
      implements HubRequest {

    /** How deliveries to this subscriber are signed, if it has a secret. */
    public SignatureMethod signatureMethod() {
      return signatureMethod(false);
    }

    /**
     * The method by which deliveries are signed: the requested one, else sha256, but sha1 for
     * subscribers of a time that knew no other.
     *
     * @param withCredentials whether the request came with credentials of Superfeedr's API
     */
    public SignatureMethod signatureMethod(boolean withCredentials) {
      boolean old = legacy || verifyToken.isPresent() || withCredentials;
      return requestedMethod.orElse(old ? SignatureMethod.SHA1 : SignatureMethod.SHA256);
    }

    /** Without the secret and the token. */
    @Override
    public String toString() {
      return "Subscribe[callback=" + callback + ", topic=" + topic + ", lease=" + lease + ']';
    }
  }

  /**
   * {@code hub.mode=unsubscribe}. The components mean the same as in {@link Subscribe}.
   *
   * @param requestedTopic exactly as given: the verification must repeat it
   */
  record Unsubscribe(
      String callback,
      String topic,
      String requestedTopic,
      Optional<VerifyMode> verify,
      Optional<String> verifyToken)
      implements HubRequest {}

  /**
   * {@code hub.mode=publish}.
   *
   * @param topics at least one and at most {@link #MAX_PUBLISHED_TOPICS}, normalized, none twice
   * @param content the published content, if the request has any; then there is just one topic
   */
  record Publish(List<String> topics, Optional<FatContent> content) implements HubRequest {
    public Publish {
      topics = List.copyOf(topics);
    }
  }

  /**
   * Content within a publish, not to be believed unless {@link #isSignedWith} the publisher's
   * secret.
   *
   * @param signature as given: {@code method=hex}, or only the hex of a sha1
   */
  record FatContent(String content, Optional<String> signature) {
    /** The content in UTF-8: the bytes that the signature covers. */
    public byte[] bytes() {
      return content.getBytes(UTF_8);
    }

    /** Whether there is a signature, and it is the signature of the content under this secret. */
    public boolean isSignedWith(String secret) {
      return signature
          .map(s -> s.indexOf('=') < 0 ? SignatureMethod.SHA1.value() + '=' + s : s)
          .filter(s -> Signature.verify(s, secret, bytes()))
          .isPresent();
    }

    @Override
    public String toString() {
      return "FatContent[" + content.length() + " characters]";
    }
  }
}
