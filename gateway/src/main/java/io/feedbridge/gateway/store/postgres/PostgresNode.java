package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.vault.Sealed;
import io.feedbridge.gateway.vault.SealedException;
import io.feedbridge.gateway.vault.Vault;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * This process as a node of a database (rule L15). A node has a lease, which it renews. One node
 * owns the store; the others are standbys. When the lease of the owner has expired by the server's
 * clock, a standby declares the owner dead, ends its sessions and owns the store in a new epoch.
 * The owner trusts its lease for less time than the server does, by a clock that nothing sets, so
 * that it starts nothing any more when another node may own the store.
 *
 * <p>Used by one thread; {@link #holds} may be called by any number of threads.
 */
public final class PostgresNode implements AutoCloseable {

  /** The time from a renewal until other nodes take the store. */
  static final Duration LEASE = Duration.ofSeconds(10);

  /** The time between two renewals. */
  static final Duration RENEWAL = Duration.ofSeconds(3);

  /** The time between two looks of a standby, and between two tries to reach the server. */
  public static final Duration LOOK = Duration.ofSeconds(1);

  /** The part of the lease in which the node does not trust it any more. */
  static final Duration MARGIN = Duration.ofSeconds(1);

  /** The longest wait of the lease's session for an answer of the server. */
  static final Duration ANSWER_WAIT = Duration.ofSeconds(4);

  private static final int INCARNATION_BYTES = 8;

  private final PostgresPlace place;
  private final String name;
  private final String incarnation;
  private final LongSupplier nanos;
  private final Jdbi jdbi;
  private final String application;
  private final DataSource reading;
  private final DataSource writing;

  private @Nullable Handle handle;
  private Optional<Owner> lastOwner = Optional.empty();
  private boolean schemaKnown;
  private volatile String cause = "";
  private volatile long trustedUntil;
  private volatile long epoch;
  private volatile @Nullable GivenUp givenUp;

  /** Whether the server has said that the lease is gone. */
  private volatile boolean lost;

  private PostgresNode(PostgresPlace place, String name, String incarnation, LongSupplier nanos) {
    this.place = place;
    this.name = name;
    this.incarnation = incarnation;
    this.nanos = nanos;
    application = PostgresConnections.application(name, incarnation);
    reading = PostgresConnections.reading(place.url(), application);
    writing = PostgresConnections.writing(place.url(), application);
    jdbi =
        PostgresConnections.jdbi(
            PostgresConnections.impatient(place.url(), application, ANSWER_WAIT));
  }

  /**
   * Becomes a standby of a database, and makes the tables of nodes in an empty one. The other
   * tables are the owner's to make and to migrate.
   *
   * @param url a JDBC URL of PostgreSQL
   * @param name of the node, up to 64 characters
   * @param folder the data folder, which this process has locked
   * @param clock by which the gateway will work, which must go like the server's
   * @throws StoreException if the database cannot be reached, used or migrated; the message is fit
   *     for the operator
   */
  public static PostgresNode join(String url, String name, Path folder, Clock clock) {
    return join(new PostgresPlace(url, false), name, folder, clock, System::nanoTime);
  }

  static PostgresNode join(
      PostgresPlace place, String name, Path folder, Clock clock, LongSupplier nanos) {
    byte[] random = new byte[INCARNATION_BYTES];
    new SecureRandom().nextBytes(random);
    PostgresNode node = new PostgresNode(place, name, HexFormat.of().formatHex(random), nanos);
    boolean whole = false;
    try {
      node.register(new NodeFile(folder), clock);
      whole = true;
      return node;
    } catch (JdbiException e) {
      throw place.unusable(e);
    } finally {
      if (!whole) {
        node.disconnect();
      }
    }
  }

  private void register(NodeFile file, Clock clock) {
    place.prepare(application, clock);
    NodeSession session = session();
    Optional<String> previous = file.previous();
    previous.ifPresent(session::bury);
    long before = nanos.getAsLong();
    session.register(name, LEASE);
    trust(before);
    file.write(incarnation);
  }

  private NodeSession session() {
    Handle open = handle;
    if (open == null) {
      open = jdbi.open();
      handle = open;
      return NodeSession.on(open, incarnation);
    }
    return new NodeSession(open, incarnation);
  }

  private void trust(long before) {
    trustedUntil = before + LEASE.minus(MARGIN).toNanos();
  }

  /** Whether the node may trust its lease. */
  private boolean isTrusted() {
    return nanos.getAsLong() - trustedUntil < 0;
  }

  /**
   * Renews the lease. A server that does not answer changes nothing until the lease may have
   * expired. Blocks for a few seconds at most.
   *
   * @return false once the lease is lost, which is final: the process then has to join again
   */
  public boolean renew() {
    boolean again = handle != null;
    long before = nanos.getAsLong();
    try {
      lost = !session().renew(LEASE);
      if (lost || givenUp != null) {
        epoch = 0;
        return false;
      }
      trust(before);
      return true;
    } catch (JdbiException e) {
      disconnect();
      // A session that another node has ended tells nothing; a new one tells why.
      return again ? renew() : isTrusted();
    }
  }

  /**
   * A failure of the store that lasts.
   *
   * @param trusted whether the node could trust its lease then; if not, a late writer may have met
   *     the next owner
   */
  private record GivenUp(String reason, boolean trusted) {}

  /**
   * Has the next renewal report the lease as lost, because only another process can use the store.
   *
   * @param reason in words, for the operator
   */
  void giveUp(String reason) {
    givenUp = new GivenUp(reason, isTrusted());
  }

  /**
   * Why this process cannot use the store any more. Empty while it can, and when another node took
   * the store, or may have: the failures of a late writer are no reason to end then.
   */
  public Optional<String> givenUp() {
    return Optional.ofNullable(givenUp).filter(one -> one.trusted && !lost).map(GivenUp::reason);
  }

  /** The time after which the lease has to be renewed. */
  public Duration nextRenewal() {
    return handle == null ? LOOK : RENEWAL;
  }

  /**
   * Becomes the owner if no other node with a lease is. Blocks for a few seconds at most.
   *
   * @return whether this node owns the store now
   * @throws StoreException if a newer gateway has migrated the database
   */
  public boolean tryOwn() {
    try {
      NodeSession session = session();
      session.buryExpired();
      PostgresMigration.refuseNewer(session.handle());
      String why = session.vacancy(name);
      OptionalLong owned = session.own(name);
      owned.ifPresent(number -> cause = why);
      owned.ifPresent(number -> epoch = number);
      return owned.isPresent();
    } catch (JdbiException e) {
      disconnect();
      return false;
    }
  }

  /**
   * Whether this node owns the store without any doubt. Does not block; the answer holds for the
   * time of a call that begins at once.
   */
  public boolean holds() {
    return epoch > 0 && isTrusted();
  }

  /**
   * The node that owns the store.
   *
   * @param name of the node
   * @param address under which other nodes reach it; empty until it is ready, or where its version
   *     tells none
   */
  public record Owner(String name, Optional<String> address) {}

  /**
   * The node that owns the store; empty if no node does. While the server cannot be asked, the
   * owner that it named last.
   */
  public Optional<Owner> owner() {
    try {
      lastOwner = session().owner();
    } catch (JdbiException e) {
      disconnect();
    }
    return lastOwner;
  }

  /** Tells other nodes where they reach this one. Blocks. */
  public void announce(URI address) {
    try {
      session().announce(address.toString());
    } catch (JdbiException e) {
      disconnect();
    }
  }

  /**
   * Whether the store has the schema of this version, so that this node may use it beside the
   * owner. Blocks.
   */
  public boolean hasSchemaOfThisVersion() {
    try {
      schemaKnown = PostgresMigration.isDone(session().handle());
      return schemaKnown;
    } catch (JdbiException e) {
      disconnect();
      // The server does not answer: nothing is known to have changed.
      return schemaKnown;
    }
  }

  /**
   * The gateway's own key, which all nodes of the store have; empty until an owner has made it, and
   * while the server cannot be asked. Blocks.
   *
   * @param file the key that secrets are encrypted with
   * @throws StoreException if the file is missing, or is not the store's, with a message for the
   *     operator
   */
  public Optional<byte[]> gatewayKey(KeyFile file) {
    try {
      Optional<byte[]> sealed = session().sealedKey();
      if (sealed.isEmpty()) {
        return Optional.empty();
      }
      Vault vault =
          file.read()
              .orElseThrow(
                  () ->
                      new StoreException(
                          ("the key file %s is missing: copy it from the node that owns the store,"
                                  + " or name it with --key-file")
                              .formatted(file)));
      return Optional.of(vault.open(Sealed.of(sealed.get()), Sealing.GATEWAY));
    } catch (JdbiException e) {
      disconnect();
      return Optional.empty();
    } catch (SealedException e) {
      throw new StoreException(
          ("the key file %s is not the one of the store: copy it from the node that owns the store,"
                  + " or name it with --key-file")
              .formatted(file),
          e);
    } catch (IOException e) {
      throw new StoreException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Why this node became the owner, in words. */
  public String cause() {
    return cause;
  }

  /** The epoch in which the node owns the store. */
  long epoch() {
    if (epoch == 0) {
      throw new StoreException("the node does not own the store");
    }
    return epoch;
  }

  /** The connections of readers. */
  DataSource reading() {
    return reading;
  }

  /** The connections of the writer. */
  DataSource writing() {
    return writing;
  }

  /** The connection that listens for the notices of other nodes. */
  DataSource listening() {
    return PostgresConnections.impatient(place.url(), application, ANSWER_WAIT);
  }

  /** Tells this process from all others. */
  String incarnation() {
    return incarnation;
  }

  /** The connections of migrations, which other nodes end like all others of a dead node. */
  DataSource migrating() {
    return PostgresConnections.migrating(place.url(), application);
  }

  PostgresPlace place() {
    return place;
  }

  private void disconnect() {
    Handle open = handle;
    handle = null;
    if (open != null) {
      try {
        open.close();
      } catch (JdbiException e) {
        // The session is broken, and the server ends it by itself.
      }
    }
  }

  /** Gives the lease up, so that another node takes the store at once. */
  @Override
  public void close() {
    epoch = 0;
    try {
      session().leave();
    } catch (JdbiException e) {
      // The lease ends by itself.
    }
    disconnect();
  }
}
