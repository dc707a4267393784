package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.Terms;
import io.feedbridge.gateway.vault.SealedException;
import io.feedbridge.gateway.vault.Vault;
import java.util.Objects;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.config.JdbiConfig;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * The vault of a store, which goes with each of its statements, and whom secrets belong to. A
 * request for a subscription and the subscription itself are one owner, so that rows can be made of
 * rows.
 */
public final class Sealing implements JdbiConfig<Sealing> {

  private static final String SUBSCRIBER = "subscriber";
  private static final String SUBSCRIBER_TOKEN = "subscriber-token";

  private @Nullable Vault vault;

  /** Without a vault: for statements that have nothing to do with secrets. */
  public Sealing() {}

  static Sealing of(Handle handle) {
    return handle.getConfig(Sealing.class);
  }

  static Sealing of(StatementContext context) {
    return context.getConfig(Sealing.class);
  }

  void with(Vault opened) {
    vault = opened;
  }

  @Override
  public Sealing createCopy() {
    Sealing copy = new Sealing();
    copy.vault = vault;
    return copy;
  }

  private Vault vault() {
    return Objects.requireNonNull(vault, "secrets are read and written with a vault");
  }

  /** The terms as they are stored. */
  Terms seal(Terms terms, String topic, String callback) {
    String secret = terms.secret();
    return secret == null
        ? terms
        : terms.withSecret(vault().seal(secret, SUBSCRIBER, topic, callback));
  }

  /** The terms that {@link #seal} was given. */
  Terms open(Terms stored, String topic, String callback) {
    String sealed = stored.secret();
    return sealed == null
        ? stored
        : stored.withSecret(
            opened("subscription", () -> vault().open(sealed, SUBSCRIBER, topic, callback)));
  }

  @Nullable String sealToken(@Nullable String token, String topic, String callback) {
    return token == null ? null : vault().seal(token, SUBSCRIBER_TOKEN, topic, callback);
  }

  @Nullable String openToken(@Nullable String sealed, String topic, String callback) {
    return sealed == null
        ? null
        : opened("subscription", () -> vault().open(sealed, SUBSCRIBER_TOKEN, topic, callback));
  }

  /** A secret of something that has a kind and a name. */
  String seal(String secret, String kind, String name) {
    return vault().seal(secret, kind, name);
  }

  String open(String sealed, String kind, String name) {
    return opened(kind, () -> vault().open(sealed, kind, name));
  }

  byte[] seal(byte[] secret, String kind) {
    return vault().seal(secret, kind);
  }

  byte[] open(byte[] sealed, String kind) {
    return opened(kind, () -> vault().open(sealed, kind));
  }

  private static <T> T opened(String kind, Supplier<T> open) {
    try {
      return open.get();
    } catch (SealedException e) {
      throw new StoreException("the secret of a stored " + kind + " is damaged", e);
    }
  }
}
