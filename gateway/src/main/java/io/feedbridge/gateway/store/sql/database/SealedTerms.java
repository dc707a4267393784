package io.feedbridge.gateway.store.sql.database;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.vault.Sealed;
import org.jspecify.annotations.Nullable;

/**
 * Terms as a row holds them.
 *
 * @param rest the terms without their secret
 * @param secret the secret, absent where deliveries are not signed
 */
public record SealedTerms(Terms rest, @Nullable Sealed secret) {

  /**
   * Reads the text of a column.
   *
   * @throws io.feedbridge.gateway.vault.SealedException if the secret is no sealed one
   */
  static SealedTerms read(String text) {
    Terms stored = Json.read(text, Terms.class);
    String secret = stored.secret();
    return secret == null
        ? new SealedTerms(stored, null)
        : new SealedTerms(stored.withSecret(null), Sealed.of(secret));
  }

  /** The text of the column. */
  public String text() {
    return Json.text(secret == null ? rest : rest.withSecret(secret.text()));
  }
}
