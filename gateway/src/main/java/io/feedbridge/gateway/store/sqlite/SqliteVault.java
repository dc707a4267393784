package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.sql.database.StoreKey;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.vault.Vault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.config.Configurable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the vault of a store, before any other read or write. A store without a key takes the key
 * in the file, or a new key, and encrypts its secrets with it, in steps: a crash between two steps
 * does no harm. A store with a key is opened with that key and no other.
 */
final class SqliteVault {

  private static final Logger log = LoggerFactory.getLogger(SqliteVault.class);

  /** Rows of one commit. */
  static final int STEP = 2_000;

  /**
   * A larger file is not written anew at a start, because the start would take too long. In bytes.
   */
  private static final long MOST_REWRITTEN = 1L << 30;

  private final Path database;
  private final Jdbi writing;
  private final KeyFile file;

  private SqliteVault(Path database, Jdbi writing, KeyFile file) {
    this.database = database;
    this.writing = writing;
    this.file = file;
  }

  /**
   * Opens the vault. Blocks, at the first start of a store with many secrets for some seconds.
   *
   * @param writing connections that may write, of which statements get the vault
   * @throws StoreException if the key is not there or is another one, with a message for the
   *     operator; nothing was changed
   */
  static Vault open(Path database, Jdbi writing, KeyFile file) {
    try {
      return new SqliteVault(database, writing, file).open();
    } catch (IOException e) {
      throw new StoreException(String.valueOf(e.getMessage()), e);
    } catch (JdbiException e) {
      throw FileCheck.unreadable(database, e);
    }
  }

  private Vault open() throws IOException {
    try (Handle handle = writing.open()) {
      Vault vault = StoreKey.open(handle, file, database.toString());
      for (Configurable<?> one : List.of(writing, handle)) {
        one.getConfig(Sealing.class).with(vault);
      }
      finish(handle);
      return vault;
    }
  }

  /** Encrypts the secrets that are not encrypted yet. */
  private void finish(Handle handle) throws IOException {
    boolean done =
        handle
            .createQuery(
                """
                SELECT COALESCE(subscriptions, verifications, others) IS NULL FROM seal
                """)
            .mapTo(Boolean.class)
            .one();
    if (done) {
      return;
    }
    int sealed = 0;
    for (Kind kind : Kind.values()) {
      for (int some = STEP; some == STEP; ) {
        some = handle.inTransaction(at -> seal(at, kind));
        sealed += some;
      }
    }
    sealed +=
        handle.inTransaction(
            at -> {
              at.execute("UPDATE seal SET others = NULL");
              return sealOthers(at);
            });
    if (sealed > 0) {
      log.atInfo().addKeyValue("rows", sealed).log("The secrets in the store are encrypted now");
      forget(handle);
    }
  }

  /**
   * Writes the file anew, unless it is too large: overwritten secrets are still in parts of pages
   * that are not in use.
   */
  private void forget(Handle handle) throws IOException {
    if (Files.size(database) > MOST_REWRITTEN) {
      log.atWarn()
          .addKeyValue("store", database)
          .log(
              "The store is too large to be written anew: the file may still have secrets from before"
                  + " in parts that are not in use, unlike a backup of it");
      return;
    }
    handle.execute("VACUUM");
    handle.createQuery("PRAGMA wal_checkpoint(TRUNCATE)").mapToMap().list();
  }

  /** The tables with very many secrets, which are encrypted in steps. */
  private enum Kind {
    SUBSCRIPTION(
        "subscriptions",
        """
        SELECT s.id, f.topic, s.callback, s.terms, s.verify_token
        FROM subscription s JOIN feed f ON f.id = s.feed_id
        WHERE s.id > (SELECT subscriptions FROM seal) ORDER BY s.id LIMIT :limit
        """,
        "UPDATE subscription SET terms = :terms, verify_token = :token WHERE id = :id"),
    VERIFICATION(
        "verifications",
        """
        SELECT id, topic, callback, terms, verify_token FROM verification
        WHERE id > (SELECT verifications FROM seal) ORDER BY id LIMIT :limit
        """,
        "UPDATE verification SET terms = :terms, verify_token = :token WHERE id = :id");

    private final String progress;
    private final String next;
    private final String update;

    Kind(String progress, String next, String update) {
      this.progress = progress;
      this.next = next;
      this.update = update;
    }
  }

  private record Row(
      long id,
      String topic,
      String callback,
      @Nullable Terms terms,
      @Nullable String verifyToken) {}

  /**
   * Encrypts the next rows of a kind; returns their number, which is less than a step for the last
   * rows.
   */
  private static int seal(Handle handle, Kind kind) {
    List<Row> rows =
        handle
            .createQuery(kind.next)
            .bind("limit", STEP)
            .map(
                (row, context) ->
                    new Row(
                        row.getLong("id"),
                        row.getString("topic"),
                        row.getString("callback"),
                        DamagedRows.read(
                                row,
                                context,
                                "subscription",
                                "id",
                                (one, same) -> Json.read(one.getString("terms"), Terms.class))
                            .orElse(null),
                        row.getString("verify_token")))
            .list();
    Sealing sealing = Sealing.of(handle);
    for (Row row : rows) {
      Terms terms = row.terms;
      if (terms != null && (terms.secret() != null || row.verifyToken != null)) {
        handle
            .createUpdate(kind.update)
            .bind("terms", sealing.seal(terms, row.topic, row.callback).text())
            .bind("token", sealing.sealToken(row.verifyToken, row.topic, row.callback))
            .bind("id", row.id)
            .execute();
      }
    }
    handle
        .createUpdate("UPDATE seal SET " + kind.progress + " = :to")
        .bind("to", rows.size() < STEP ? null : rows.get(rows.size() - 1).id)
        .execute();
    return rows.size();
  }

  /** Encrypts the few other secrets: of hubs, publishers and webhooks, and the gateway's key. */
  private static int sealOthers(Handle handle) {
    int sealed =
        sealColumn(handle, "following", "secret", Rows.FOLLOWING, "token")
            + sealColumn(handle, "publisher", "secret", Sealing.PUBLISHER, "topic")
            + sealColumn(handle, "webhook", "secret", Sealing.WEBHOOK, "tag")
            + sealColumn(handle, "webhook", "retired", Sealing.WEBHOOK_RETIRED, "tag");
    Optional<byte[]> key =
        handle
            .createQuery("SELECT value FROM secret WHERE name = :name")
            .bind("name", Sealing.GATEWAY)
            .mapTo(byte[].class)
            .findOne();
    key.ifPresent(
        plain ->
            handle
                .createUpdate("UPDATE secret SET value = :value WHERE name = :name")
                .bind("value", Sealing.of(handle).seal(plain, Sealing.GATEWAY).bytes())
                .bind("name", Sealing.GATEWAY)
                .execute());
    return sealed + (key.isPresent() ? 1 : 0);
  }

  private record Cell(long id, String owner, String secret) {}

  private static int sealColumn(
      Handle handle, String table, String column, String kind, String owner) {
    List<Cell> cells =
        handle
            .createQuery(
                "SELECT id, %s AS owner, %s AS secret FROM %s WHERE %s IS NOT NULL"
                    .formatted(owner, column, table, column))
            .map(
                (row, context) ->
                    new Cell(row.getLong("id"), row.getString("owner"), row.getString("secret")))
            .list();
    for (Cell cell : cells) {
      handle
          .createUpdate("UPDATE %s SET %s = :sealed WHERE id = :id".formatted(table, column))
          .bind("sealed", Sealing.of(handle).seal(cell.secret, kind, cell.owner).text())
          .bind("id", cell.id)
          .execute();
    }
    return cells.size();
  }
}
