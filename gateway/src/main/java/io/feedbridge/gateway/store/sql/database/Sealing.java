package io.feedbridge.gateway.store.sql.database;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.vault.Sealed;
import io.feedbridge.gateway.vault.SealedException;
import io.feedbridge.gateway.vault.Vault;
import java.util.Objects;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.config.JdbiConfig;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * The vault of a store, which goes with each of its statements, and the owners of its secrets. A
 * request for a subscription and the subscription itself are one owner, so that a row of the one
 * can be copied to a row of the other.
 */
public final class Sealing implements JdbiConfig<Sealing> {

  /** The kind of owner of the gateway's own key, and its name in the store. */
  public static final String GATEWAY = "gateway";

  /** The kind of owner of a publisher's secret. */
  public static final String PUBLISHER = "publisher";

  /** The kind of owner of a webhook's secret. */
  public static final String WEBHOOK = "webhook";

  /** The kind of owner of the secrets that a webhook's secret replaced. */
  public static final String WEBHOOK_RETIRED = "webhook-retired";

  /** The kind of owner of the target of a webhook, with its token. */
  public static final String WEBHOOK_TARGET = "webhook-target";

  /** The kind of owner of a feed's credentials. */
  public static final String FEED = "feed";

  private static final String SUBSCRIBER = "subscriber";
  private static final String SUBSCRIBER_TOKEN = "subscriber-token";

  private @Nullable Vault vault;

  /** Without a vault: for statements that have nothing to do with secrets. */
  public Sealing() {}

  public static Sealing of(Handle handle) {
    return handle.getConfig(Sealing.class);
  }

  public static Sealing of(StatementContext context) {
    return context.getConfig(Sealing.class);
  }

  public void with(Vault opened) {
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
  public SealedTerms seal(Terms terms, String topic, String callback) {
    String secret = terms.secret();
    return secret == null
        ? new SealedTerms(terms, null)
        : new SealedTerms(
            terms.withSecret(null), vault().seal(secret, SUBSCRIBER, topic, callback));
  }

  /** The terms of a column that {@link SealedTerms#text} filled. */
  public Terms openTerms(String column, String topic, String callback) {
    return opened(
        "subscription",
        () -> {
          SealedTerms stored = SealedTerms.read(column);
          Sealed secret = stored.secret();
          return secret == null
              ? stored.rest()
              : stored.rest().withSecret(vault().openText(secret, SUBSCRIBER, topic, callback));
        });
  }

  public @Nullable String sealToken(@Nullable String token, String topic, String callback) {
    return token == null ? null : vault().seal(token, SUBSCRIBER_TOKEN, topic, callback).text();
  }

  public @Nullable String openToken(@Nullable String column, String topic, String callback) {
    return column == null
        ? null
        : opened(
            "subscription",
            () -> vault().openText(Sealed.of(column), SUBSCRIBER_TOKEN, topic, callback));
  }

  /** A secret of a thing that has a kind and a name. */
  public Sealed seal(String secret, String kind, String name) {
    return vault().seal(secret, kind, name);
  }

  public String open(String column, String kind, String name) {
    return opened(kind, () -> vault().openText(Sealed.of(column), kind, name));
  }

  public Sealed seal(byte[] secret, String kind) {
    return vault().seal(secret, kind);
  }

  public byte[] open(byte[] column, String kind) {
    return opened(kind, () -> vault().open(Sealed.of(column), kind));
  }

  private static <T> T opened(String kind, Supplier<T> open) {
    try {
      return open.get();
    } catch (SealedException e) {
      throw new StoreException("the secret of a stored " + kind + " is damaged", e);
    }
  }
}
