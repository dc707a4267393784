package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.sql.database.Sealing;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;

/**
 * The statements by which a node keeps its lease and becomes the owner of a database. Times are the
 * server's alone. Not thread-safe.
 *
 * @param handle a session that nothing else uses
 * @param incarnation of the node's process
 */
record NodeSession(Handle handle, String incarnation) {

  /** The longest wait for a row that a session of another node has locked. */
  static final Duration ROW_WAIT = Duration.ofSeconds(2);

  /** The time that a node without a lease stays in the table. */
  static final Duration DEAD_KEPT = Duration.ofDays(1);

  private static final String NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

  /** The sessions of a node, by the name of the node in a row. */
  private static final String APPLICATION =
      "'%s' || left(n.name, %d) || ':' || n.incarnation"
          .formatted(PostgresConnections.NODE, PostgresConnections.MAX_NAME);

  /** A session on which each statement is a transaction. */
  static NodeSession on(Handle handle, String incarnation) {
    handle.execute("SET lock_timeout = " + ROW_WAIT.toMillis());
    return new NodeSession(handle, incarnation);
  }

  /** Makes the process a standby. */
  void register(String name, Duration lease) {
    handle
        .createUpdate(
            "DELETE FROM node WHERE state = 'dead' AND (name = :name OR expires_at < <now> - :kept)"
                .replace("<now>", NOW))
        .bind("name", name)
        .bind("kept", DEAD_KEPT.toMillis())
        .execute();
    handle
        .createUpdate(
            """
            INSERT INTO node (incarnation, name, state, since, expires_at)
            VALUES (:incarnation, :name, 'standby', <now>, <now> + :lease)
            """
                .replace("<now>", NOW))
        .bind("incarnation", incarnation)
        .bind("name", name)
        .bind("lease", lease.toMillis())
        .execute();
  }

  /**
   * Extends the lease.
   *
   * @return false if it has expired, another node has declared this one dead, or another node owns
   *     the store that this one owned
   */
  boolean renew(Duration lease) {
    return handle
            .createUpdate(
                """
                UPDATE node SET expires_at = <now> + :lease
                WHERE incarnation = :incarnation AND expires_at > <now>
                  AND (state = 'standby' OR state = 'active'
                    AND EXISTS (SELECT 1 FROM owner o WHERE o.incarnation = :incarnation))
                """
                    .replace("<now>", NOW))
            .bind("incarnation", incarnation)
            .bind("lease", lease.toMillis())
            .execute()
        > 0;
  }

  /** Declares a process dead that is known to have ended. */
  void bury(String ended) {
    handle
        .createUpdate("UPDATE node SET state = 'dead' WHERE incarnation = :ended")
        .bind("ended", ended)
        .execute();
    endSessionsOfDead();
  }

  /**
   * Declares the nodes dead whose leases have expired, and ends the sessions of all dead nodes: a
   * process that was stopped may hold locks.
   */
  void buryExpired() {
    handle
        .createUpdate(
            "UPDATE node SET state = 'dead' WHERE state <> 'dead' AND expires_at < " + NOW)
        .execute();
    endSessionsOfDead();
  }

  private void endSessionsOfDead() {
    handle
        .createQuery(
            """
            SELECT pg_terminate_backend(s.pid) FROM node n
            JOIN pg_stat_activity s ON s.application_name = %s
            WHERE n.state = 'dead' AND s.datname = current_database()
              AND s.pid <> pg_backend_pid()
            """
                .formatted(APPLICATION))
        .mapTo(Boolean.class)
        .list();
  }

  /**
   * Makes this node the owner if no other node with a lease is. A node that is the owner already,
   * because the answer of the last try was lost, begins another epoch.
   *
   * @return the epoch of the owner; empty if another node owns the store, or the lease is gone
   */
  OptionalLong own(String name) {
    return handle
        .createQuery(
            """
            WITH self AS (
              SELECT incarnation FROM node
              WHERE incarnation = :incarnation AND state <> 'dead' AND expires_at > <now>
              FOR UPDATE
            ), owned AS (
              INSERT INTO owner (id, epoch, opened_at, node, incarnation)
              SELECT 1, 1, <now>, :name, incarnation FROM self
              ON CONFLICT (id) DO UPDATE SET epoch = owner.epoch + 1, opened_at = <now>,
                node = :name, incarnation = :incarnation
              WHERE NOT EXISTS (
                SELECT 1 FROM node n
                WHERE n.incarnation = owner.incarnation AND n.state <> 'dead'
                  AND n.incarnation <> :incarnation)
              RETURNING epoch
            ), active AS (
              UPDATE node SET state = 'active'
              WHERE incarnation = :incarnation AND EXISTS (SELECT 1 FROM owned)
            )
            SELECT epoch FROM owned
            """
                .replace("<now>", NOW))
        .bind("name", name)
        .bind("incarnation", incarnation)
        .mapTo(Long.class)
        .stream()
        .mapToLong(Long::longValue)
        .findFirst();
  }

  /**
   * Why the store has no owner, if it has none, in words.
   *
   * @param name of this node
   */
  String vacancy(String name) {
    return handle
        .createQuery(
            """
            SELECT COALESCE(o.node, 'a process') AS node, n.state AS state FROM owner o
            LEFT JOIN node n ON n.incarnation = o.incarnation
            """)
        .map(
            (row, context) -> {
              String before = row.getString("node");
              if (before.equals(name)) {
                return name + " was started again";
              }
              return row.getString("state") == null
                  ? before + " gave the store up"
                  : "the lease of " + before + " had expired";
            })
        .findOne()
        .orElse("no node had owned the store");
  }

  /** Tells other nodes where they reach this one, once the store has a place for it. */
  void announce(String address) {
    boolean there =
        handle
            .createQuery(
                """
                SELECT EXISTS (SELECT 1 FROM information_schema.columns
                  WHERE table_schema = current_schema() AND table_name = 'node'
                    AND column_name = 'address')
                """)
            .mapTo(Boolean.class)
            .one();
    if (there) {
      handle
          .createUpdate("UPDATE node SET address = :address WHERE incarnation = :incarnation")
          .bind("address", address)
          .bind("incarnation", incarnation)
          .execute();
    }
  }

  /** The node that owns the store, if a node does. */
  Optional<PostgresNode.Owner> owner() {
    // A store that an older gateway has migrated has no addresses.
    return handle
        .createQuery(
            """
            SELECT o.node, to_jsonb(n) ->> 'address' AS address FROM owner o
            JOIN node n ON n.incarnation = o.incarnation AND n.state <> 'dead'
            """)
        .map(
            (row, context) ->
                new PostgresNode.Owner(
                    row.getString("node"), Optional.ofNullable(row.getString("address"))))
        .findOne();
  }

  /** The gateway's own key as the store keeps it, once there is one. */
  Optional<byte[]> sealedKey() {
    boolean made =
        handle.createQuery("SELECT to_regclass('secret') IS NOT NULL").mapTo(Boolean.class).one();
    return made
        ? handle
            .createQuery("SELECT value FROM secret WHERE name = :name")
            .bind("name", Sealing.GATEWAY)
            .mapTo(byte[].class)
            .findOne()
        : Optional.empty();
  }

  /** Gives the lease up. */
  void leave() {
    handle
        .createUpdate("DELETE FROM node WHERE incarnation = :incarnation")
        .bind("incarnation", incarnation)
        .execute();
  }
}
