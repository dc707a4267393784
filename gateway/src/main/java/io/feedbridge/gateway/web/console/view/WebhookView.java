package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A webhook as the API shows it.
 *
 * @param secrets absent right after it is made
 * @param secret shown once, when it is made; absent otherwise
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
    @Nullable List<ValidSecret> secrets,
    SubscriptionView.@Nullable Behind behind,
    @Nullable List<SubscriptionView.Gap> gaps,
    @Nullable String secret) {

  /** The result of a new secret. */
  public record Rotated(
      String id,
      @Nullable String secret,
      @Nullable String publicKey,
      @Nullable Instant previousSecretsUntil) {}

  /** A secret that signs messages; {@code until} is absent for the newest. */
  public record ValidSecret(String lastCharacters, @Nullable Instant until) {}

  /** The result of a test message. */
  public record Tested(
      String messageId,
      boolean delivered,
      String outcome,
      @Nullable Integer status,
      @Nullable String error,
      long durationMs) {}

  /** Whether its messages are signed JSON of the gateway's own form. */
  public boolean isStandard() {
    return target.equals("standard");
  }

  /** Whether its messages are signed with its secret. */
  public boolean isSigned() {
    return publicKey != null || (secrets != null && !secrets.isEmpty());
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
