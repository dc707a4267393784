package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the form behind a {@link HubRequest}. */
final class HubRequestParser {
  /** Only a comma before another URL separates: commas are frequent inside URLs. */
  private static final Pattern BETWEEN_URLS =
      Pattern.compile(",\\s*(?=https?://)", Pattern.CASE_INSENSITIVE);

  private final Parameters form;

  HubRequestParser(Map<String, List<String>> form) {
    this.form = new Parameters(form);
  }

  HubRequest parse() throws BadHubRequestException {
    String mode = form.required(HubParameter.MODE);
    return switch (mode) {
      case "subscribe" -> subscribe();
      case "unsubscribe" -> unsubscribe();
      case "publish" -> publish();
      default ->
          throw new BadHubRequestException(
              "hub.mode "
                  + Parameters.quoted(mode)
                  + " is not known here; use subscribe, unsubscribe or publish");
    };
  }

  private HubRequest.Subscribe subscribe() throws BadHubRequestException {
    String callback = callback();
    String requestedTopic = form.required(HubParameter.TOPIC);
    DocumentWishes wishes = wishes();
    return new HubRequest.Subscribe(
        callback,
        TopicUrl.normalize(requestedTopic),
        requestedTopic,
        secret(),
        lease(),
        verify(),
        verifyToken(),
        wishes.fields().isEmpty() ? format() : Optional.of(ContentFormat.JSON),
        form.single(HubParameter.UPDATES).filter("true"::equalsIgnoreCase).isPresent(),
        signatureMethod(),
        !form.all(HubParameter.VERIFY).isEmpty(),
        wishes);
  }

  private boolean digest() throws BadHubRequestException {
    Optional<String> digest = form.single(HubParameter.DIGEST);
    boolean wanted = digest.filter("true"::equalsIgnoreCase).isPresent();
    if (!wanted && digest.filter("false"::equalsIgnoreCase).isEmpty() && digest.isPresent()) {
      throw new BadHubRequestException("superfeedr.digest must be true, or left out");
    }
    return wanted;
  }

  /** A list of members can be kept only where there are some: in JSON, which it stands for. */
  private DocumentWishes wishes() throws BadHubRequestException {
    DocumentWishes wishes =
        DocumentWishes.parse(
                form.single(HubParameter.EVERY),
                form.single(HubParameter.ONLY),
                form.single(HubParameter.FIELDS))
            .withDigest(digest());
    Optional<ContentFormat> format = format();
    if (!wishes.fields().isEmpty() && format.isPresent() && format.get() != ContentFormat.JSON) {
      throw new BadHubRequestException("fields needs format=json");
    }
    if (format.isPresent() && format.get() == ContentFormat.RAW) {
      if (!wishes.only().isEmpty()) {
        throw new BadHubRequestException("only needs another format than raw");
      }
      if (wishes.digest()) {
        throw new BadHubRequestException("superfeedr.digest needs another format than raw");
      }
    }
    return wishes;
  }

  private HubRequest.Unsubscribe unsubscribe() throws BadHubRequestException {
    String callback = callback();
    String requestedTopic = form.required(HubParameter.TOPIC);
    return new HubRequest.Unsubscribe(
        callback, TopicUrl.normalize(requestedTopic), requestedTopic, verify(), verifyToken());
  }

  private HubRequest.Publish publish() throws BadHubRequestException {
    Set<String> topics = new LinkedHashSet<>();
    for (String name : form.names(HubParameter.URL, HubParameter.TOPIC)) {
      for (String value : form.all(name)) {
        for (String url : BETWEEN_URLS.split(value, -1)) {
          topics.add(TopicUrl.pinged(name, url));
          if (topics.size() > HubRequest.MAX_PUBLISHED_TOPICS) {
            throw new BadHubRequestException(
                "More than " + HubRequest.MAX_PUBLISHED_TOPICS + " topics; send several requests");
          }
        }
      }
    }
    if (topics.isEmpty()) {
      throw new BadHubRequestException("hub.url is missing: name the topic that has changed");
    }
    Optional<String> content = form.single(HubParameter.CONTENT);
    if (content.isPresent() && topics.size() > 1) {
      throw new BadHubRequestException(
          "hub.content is the content of one topic; send one request for each");
    }
    Optional<String> signature = form.single(HubParameter.SIGNATURE);
    return new HubRequest.Publish(
        new ArrayList<>(topics), content.map(c -> new HubRequest.FatContent(c, signature)));
  }

  private String callback() throws BadHubRequestException {
    String callback = form.required(HubParameter.CALLBACK);
    HttpUrl.parse(HubParameter.CALLBACK, callback);
    // It is called byte for byte as given, and a request line has no bytes for these.
    if (!callback.chars().allMatch(c -> c < 0x80)) {
      throw new BadHubRequestException(
          "hub.callback contains characters that are not ASCII; percent-encode them");
    }
    return callback;
  }

  private Optional<String> secret() throws BadHubRequestException {
    Optional<String> secret = form.single(HubParameter.SECRET);
    if (secret.isPresent()
        && secret.get().getBytes(UTF_8).length >= HubRequest.SECRET_LENGTH_LIMIT) {
      throw new BadHubRequestException(
          "hub.secret must be shorter than " + HubRequest.SECRET_LENGTH_LIMIT + " bytes");
    }
    return checkedForNul(HubParameter.SECRET, secret);
  }

  private Optional<String> verifyToken() throws BadHubRequestException {
    Optional<String> token = form.single(HubParameter.VERIFY_TOKEN);
    if (token.isPresent() && token.get().length() > HubRequest.MAX_VERIFY_TOKEN_LENGTH) {
      throw new BadHubRequestException(
          "hub.verify_token is longer than " + HubRequest.MAX_VERIFY_TOKEN_LENGTH + " characters");
    }
    return checkedForNul(HubParameter.VERIFY_TOKEN, token);
  }

  /** Some databases cannot hold a NUL in a text, so none is let in where any text is allowed. */
  private static Optional<String> checkedForNul(String name, Optional<String> value)
      throws BadHubRequestException {
    if (value.isPresent() && value.get().indexOf('\0') >= 0) {
      throw new BadHubRequestException(name + " contains a NUL character");
    }
    return value;
  }

  private Optional<Duration> lease() throws BadHubRequestException {
    Optional<String> lease = form.single(HubParameter.LEASE_SECONDS);
    return lease.isEmpty() ? Optional.empty() : LeaseSeconds.parse(lease.get());
  }

  /** The order is the preference; keywords that are not known must be ignored (0.3 §6.1). */
  private Optional<VerifyMode> verify() {
    for (String value : form.all(HubParameter.VERIFY)) {
      for (String keyword : value.split(",", -1)) {
        if (keyword.strip().equalsIgnoreCase("sync")) {
          return Optional.of(VerifyMode.SYNC);
        }
        if (keyword.strip().equalsIgnoreCase("async")) {
          return Optional.of(VerifyMode.ASYNC);
        }
      }
    }
    return Optional.empty();
  }

  private Optional<ContentFormat> format() throws BadHubRequestException {
    Optional<String> format = form.single(HubParameter.FORMAT);
    if (format.isEmpty()) {
      return Optional.empty();
    }
    Optional<ContentFormat> known = ContentFormat.of(format.get());
    if (known.isEmpty()) {
      throw new BadHubRequestException(
          "format "
              + Parameters.quoted(format.get())
              + " is not known here; use auto, atom, json or raw");
    }
    return known;
  }

  private Optional<SignatureMethod> signatureMethod() throws BadHubRequestException {
    Optional<String> name = form.single(HubParameter.SIGNATURE_METHOD);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    Optional<SignatureMethod> known = SignatureMethod.of(name.get());
    if (known.isEmpty()) {
      throw new BadHubRequestException(
          "hub.signature_method "
              + Parameters.quoted(name.get())
              + " is not known here; use sha1, sha256, sha384 or sha512");
    }
    return known;
  }
}
