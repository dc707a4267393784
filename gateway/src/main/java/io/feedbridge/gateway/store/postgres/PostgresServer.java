package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server of a database, as a start finds it.
 *
 * @param version the text in which the server names itself
 * @param settings of a session of the gateway's role, by name
 * @param ahead time by which the gateway's clock is certainly ahead of the server's; negative if
 *     the gateway's clock is behind
 * @param pooled whether a pooler gives each transaction another session of the server
 */
record PostgresServer(
    String version, Map<String, String> settings, Duration ahead, boolean pooled) {

  private static final Logger log = LoggerFactory.getLogger(PostgresServer.class);

  /** The oldest server that the suites of the store run on: PostgreSQL 14. */
  private static final int OLDEST = 140_000;

  /** The longest distance between the gateway's clock and the server's at a start. */
  static final Duration CLOCK_DISTANCE = Duration.ofSeconds(5);

  /** Words by which servers name themselves that are not PostgreSQL but call themselves so. */
  private static final List<String> DERIVED =
      List.of("-YB-", "Redshift", "Greenplum", "openGauss", "GaussDB", "QuestDB", "Materialize");

  private static final String NAME = "feedbridge start";

  private static final String POOLED =
      "a pooler stands between the gateway and the database: it drops the settings of sessions, or"
          + " gives each transaction another session, so that the locks of a session hold nothing;"
          + " name the server itself in --store";

  /**
   * Refuses a server on which the store would lose commits or be written by two gateways at once.
   * Opens two sessions for a moment.
   *
   * @param url a JDBC URL, with the login
   * @param clock of the gateway
   * @throws StoreException with the reason and the remedy
   */
  static void check(String url, Clock clock) {
    PGSimpleDataSource plain = source(PostgresConnections.source(url, NAME));
    // Other servers do not know the options.
    plain.setOptions(null);
    try (Handle one = PostgresConnections.jdbi(plain).open()) {
      String version = one.createQuery("SELECT version()").mapTo(String.class).one();
      refuse(refusalOf(version));
      PostgresServer server;
      PGSimpleDataSource full = source(PostgresConnections.writing(url, NAME));
      try (Handle other = PostgresConnections.jdbi(full).open()) {
        server =
            new PostgresServer(version, settings(other), ahead(one, clock), isPooled(one, other));
      }
      refuse(server.refusal());
      server.warning().ifPresent(text -> log.atWarn().log(text));
    } catch (JdbiException e) {
      refuse(
          String.valueOf(e.getMessage()).contains("unsupported startup parameter")
              ? Optional.of(POOLED)
              : Optional.empty());
      throw e;
    }
  }

  /** A pooler loses the statements that a session has prepared. */
  private static PGSimpleDataSource source(PGSimpleDataSource source) {
    source.setPrepareThreshold(0);
    return source;
  }

  private static void refuse(Optional<String> reason) {
    if (reason.isPresent()) {
      throw new StoreException(reason.get());
    }
  }

  /** The reason to refuse a server that names itself so; other servers are not asked further. */
  static Optional<String> refusalOf(String version) {
    boolean derived = DERIVED.stream().anyMatch(version::contains);
    return version.startsWith("PostgreSQL ") && !derived
        ? Optional.empty()
        : Optional.of(
            "the store needs PostgreSQL itself, version 14 or newer; this server is " + version);
  }

  /** The first reason to refuse the server. */
  Optional<String> refusal() {
    if (Integer.parseInt(settings.getOrDefault("server_version_num", "0")) < OLDEST) {
      return Optional.of(
          "the store needs PostgreSQL 14 or newer: upgrade the server, which is " + version);
    }
    if (!isSetTo("server_encoding", "UTF8")) {
      return Optional.of(
          "the database must have the encoding UTF8: create it with ENCODING 'UTF8'");
    }
    if (isSetTo("fsync", "off")) {
      return Optional.of(
          "the server has fsync = off and loses acknowledged writes when its machine fails: set"
              + " fsync = on in postgresql.conf");
    }
    if (isSetTo("synchronous_commit", "off")) {
      return Optional.of(
          "the gateway's sessions have synchronous_commit = off, and the server loses acknowledged"
              + " writes when it fails: set synchronous_commit = on in postgresql.conf, and by ALTER"
              + " ROLE and ALTER DATABASE where the role or the database has a setting of its own");
    }
    if (pooled || !isSetTo("lock_timeout", PostgresConnections.LOCK_WAIT.toMillis() + "")) {
      return Optional.of(POOLED);
    }
    if (ahead.abs().compareTo(CLOCK_DISTANCE) > 0) {
      return Optional.of(
          "the clock of this machine is %d s %s the clock of the database, and may be %d s away: set both by NTP"
              .formatted(
                  ahead.abs().toSeconds(),
                  ahead.isNegative() ? "behind" : "ahead of",
                  CLOCK_DISTANCE.toSeconds()));
    }
    return Optional.empty();
  }

  /** The reason for which a server that is taken may still fail. */
  Optional<String> warning() {
    return isSetTo("full_page_writes", "off")
        ? Optional.of(
            "The database has full_page_writes = off: unless its disk never writes half a page, a"
                + " crash of its machine may damage the store")
        : Optional.empty();
  }

  private boolean isSetTo(String name, String value) {
    return value.equals(settings.get(name));
  }

  private static Map<String, String> settings(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT name, setting FROM pg_settings WHERE name IN ('server_version_num',
              'server_encoding', 'fsync', 'full_page_writes', 'synchronous_commit', 'lock_timeout')
            """)
        .map((row, context) -> Map.entry(row.getString("name"), row.getString("setting")))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Measured around the answer, so that a slow answer makes the distance short and not long. */
  private static Duration ahead(Handle handle, Clock clock) {
    Instant before = clock.instant();
    Instant there =
        Instant.ofEpochMilli(
            handle
                .createQuery("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)")
                .mapTo(Long.class)
                .one());
    Instant after = clock.instant();
    if (there.isBefore(before)) {
      return Duration.between(there, before);
    }
    return there.isAfter(after) ? Duration.between(there, after) : Duration.ZERO;
  }

  /**
   * Whether sessions share processes of the server. A session of PostgreSQL has its own process
   * from its begin to its end. A pooler gives a transaction any process that no other transaction
   * has at the moment.
   */
  private static boolean isPooled(Handle one, Handle other) {
    int first = process(one);
    int second = process(other);
    if (first == second) {
      return true;
    }
    other.begin();
    try {
      return process(other) != second || process(one) != first;
    } finally {
      other.rollback();
    }
  }

  private static int process(Handle handle) {
    return handle.createQuery("SELECT pg_backend_pid()").mapTo(Integer.class).one();
  }
}
