package io.feedbridge.gateway.web.api.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.feedbridge.gateway.store.Behind;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A webhook as the API shows it.
 *
 * @param refused feeds of the list in this request that were left out; shown where there are any
 */
public record WebhookView(
    String id,
    String url,
    String target,
    @Nullable String template,
    List<String> topics,
    @Nullable String filter,
    @Nullable String every,
    @Nullable String only,
    @Nullable String fields,
    boolean dedupe,
    @Nullable String description,
    String state,
    @Nullable String reason,
    @Nullable Instant nextVerificationAt,
    @Nullable Instant failingSince,
    Instant createdAt,
    @Nullable String publicKey,
    List<ValidSecret> secrets,
    @Nullable Behind behind,
    List<GapView> gaps,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<RefusedFeed> refused) {

  /**
   * A secret that signs messages.
   *
   * @param lastCharacters by which its owner knows it
   * @param until absent for the newest
   */
  public record ValidSecret(String lastCharacters, @Nullable Instant until) {
    private static final int SHOWN = 4;

    /** A stored secret, of which the last characters are shown. */
    public static ValidSecret of(String stored, @Nullable Instant until) {
      String secret = WebhookSecret.parse(stored).receiversText();
      int end = secret.endsWith("=") ? secret.indexOf('=') : secret.length();
      return new ValidSecret(secret.substring(end - SHOWN, end), until);
    }
  }

  /**
   * The answer to a new webhook: the only time that the secret is shown.
   *
   * @param secret absent where receivers verify with the public key
   * @param publicKey absent where they verify with the secret
   * @param refused feeds of its list that were left out; shown where there are any
   */
  public record Created(
      String id,
      String url,
      String target,
      @Nullable String template,
      List<String> topics,
      @Nullable String filter,
      @Nullable String every,
      @Nullable String only,
      @Nullable String fields,
      boolean dedupe,
      @Nullable String description,
      @Nullable String secret,
      @Nullable String publicKey,
      String state,
      Instant createdAt,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<RefusedFeed> refused) {}

  /**
   * The answer to a new secret: the only time that it is shown.
   *
   * @param secret absent where receivers verify with the public key
   * @param publicKey absent where they verify with the secret
   * @param previousSecretsUntil absent where they have ended
   */
  public record Rotated(
      String id,
      @Nullable String secret,
      @Nullable String publicKey,
      @Nullable Instant previousSecretsUntil) {}

  /**
   * A feed of a list that cannot be followed.
   *
   * @param number its place in the list, from 1
   */
  public record RefusedFeed(int number, String url, String title, String reason) {}

  /** Whether its messages are signed JSON of the gateway's own form. */
  public boolean standard() {
    return target.equals("standard");
  }

  /** Whether its messages are signed with its secret. */
  public boolean signed() {
    return publicKey != null || !secrets.isEmpty();
  }

  /** The topics in a few words. */
  public String subject() {
    if (topics.equals(List.of("*"))) {
      return "all feeds";
    }
    return topics.size() == 1 ? topics.get(0) : topics.size() + " feeds";
  }

  /** The description, or the URL of one without. */
  public String name() {
    return description == null || description.isBlank() ? url : description;
  }
}
