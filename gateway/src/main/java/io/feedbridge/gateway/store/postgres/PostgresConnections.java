package io.feedbridge.gateway.store.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.feedbridge.gateway.store.sql.database.FeedParts;
import io.feedbridge.gateway.store.sql.database.PlainArguments;
import io.feedbridge.gateway.store.sql.database.StatementSyntax;
import java.time.Duration;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementException;
import org.jdbi.v3.core.statement.StatementExceptions;
import org.postgresql.ds.PGSimpleDataSource;

/** How a database is connected to. */
final class PostgresConnections {

  /** Readers at once. */
  static final int READERS = 8;

  private static final Duration CONNECT_WAIT = Duration.ofSeconds(10);

  /** No answer for so long means that the connection is dead. */
  private static final Duration SOCKET_WAIT = Duration.ofSeconds(60);

  /** Statements whose plans each connection keeps. */
  private static final int PREPARED_STATEMENTS = 512;

  /** Index hints are SQLite's alone. */
  private static final Pattern INDEX_HINT = Pattern.compile(" INDEXED BY \\w+");

  /** The name of the sessions of a process that is no node. */
  private static final String TOOL = "feedbridge";

  /** The name of a node's sessions begins so. */
  static final String NODE = "fb:";

  /** Characters of a node's name in the name of its sessions, which the server cuts. */
  static final int MAX_NAME = 40;

  private PostgresConnections() {}

  /** Connections of a process that is no node. */
  static DataSource source(String url) {
    return source(url, TOOL);
  }

  /** The name of the sessions of a node's process, by which other nodes end them. */
  static String application(String node, String incarnation) {
    return NODE + node.substring(0, Math.min(node.length(), MAX_NAME)) + ":" + incarnation;
  }

  /** Connections that fail when the server does not answer for some time. */
  static DataSource impatient(String url, String application, Duration wait) {
    PGSimpleDataSource source = source(url, application);
    source.setConnectTimeout((int) wait.toSeconds());
    source.setSocketTimeout((int) wait.toSeconds());
    return source;
  }

  /** Connections by a JDBC URL, each a new one. */
  static PGSimpleDataSource source(String url, String application) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    source.setApplicationName(application);
    // The server would compile short queries whose cost it overrates, which takes longer than they
    // do.
    source.setOptions("-c jit=off");
    source.setConnectTimeout((int) CONNECT_WAIT.toSeconds());
    source.setSocketTimeout((int) SOCKET_WAIT.toSeconds());
    source.setTcpKeepAlive(true);
    source.setPreparedStatementCacheQueries(PREPARED_STATEMENTS);
    source.setPrepareThreshold(2);
    return source;
  }

  /** A pool for readers. */
  static HikariDataSource readers(DataSource source) {
    HikariConfig pool = new HikariConfig();
    pool.setPoolName("store-readers");
    pool.setDataSource(source);
    pool.setReadOnly(true);
    pool.setMinimumIdle(1);
    pool.setMaximumPoolSize(READERS);
    pool.setConnectionTimeout(CONNECT_WAIT.toMillis());
    return new HikariDataSource(pool);
  }

  /** Statements over a source. Their failures name no values, because values may be secrets. */
  static Jdbi jdbi(DataSource source) {
    Jdbi jdbi = Jdbi.create(source);
    jdbi.registerArgument(new PlainArguments());
    // Made here, it is shared by all statements.
    jdbi.getConfig(FeedParts.class);
    StatementSyntax syntax = new StatementSyntax(PostgresConnections::adapted);
    jdbi.getConfig(SqlStatements.class).setTemplateEngine(syntax).setSqlParser(syntax);
    jdbi.getConfig(StatementExceptions.class).setMessageRendering(PostgresConnections::plain);
    return jdbi;
  }

  private static String plain(StatementException failure) {
    String sql =
        failure.getStatementContext() == null ? "" : failure.getStatementContext().getRawSql();
    return "%s [%s]".formatted(failure.getShortMessage(), sql);
  }

  /**
   * The statements of the rules, without hints that are for SQLite, and with the index that stands
   * for the two texts of a request, which together are too long for a key.
   */
  private static String adapted(String text) {
    return INDEX_HINT
        .matcher(text)
        .replaceAll("")
        .replace("ON CONFLICT (topic, callback)", "ON CONFLICT (request_key(topic, callback))");
  }
}
