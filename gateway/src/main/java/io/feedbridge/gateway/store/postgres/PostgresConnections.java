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

  /**
   * How the server finds out that a client is gone, for example because its machine has lost its
   * power: a silent connection is asked after 5 s, and ends when 3 questions stay unanswered, or
   * when sent data does for 10 s (in milliseconds). Servers that cannot do so ignore it.
   */
  private static final String DEAD_CLIENTS =
      " -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"
          + " -c tcp_user_timeout=10000";

  /**
   * Each statement of a writer sees the commits before it, whatever the database's default is: the
   * order of a feed's work relies on it.
   */
  private static final String READ_COMMITTED = " -c default_transaction_isolation=read\\ committed";

  /** The longest wait for an answer to the writer: a node that is cut off must come to its end. */
  static final Duration WRITE_WAIT = Duration.ofSeconds(20);

  /** The server ends a session whose transaction waits for its client for so long. */
  static final Duration IDLE_WRITER = Duration.ofSeconds(10);

  /** The server ends a reading session whose transaction waits for its client for so long. */
  static final Duration IDLE_READER = Duration.ofSeconds(60);

  /** The longest wait for a row or table that another session has locked. */
  static final Duration LOCK_WAIT = Duration.ofSeconds(5);

  /** No answer for so long means that the connection is dead. */
  private static final Duration SOCKET_WAIT = Duration.ofSeconds(60);

  /** Statements whose plans each connection keeps. */
  private static final int PREPARED_STATEMENTS = 512;

  /** Index hints are SQLite's alone. */
  private static final Pattern INDEX_HINT = Pattern.compile(" INDEXED BY \\w+");

  /** The name of the sessions of a process that is no node. */
  static final String TOOL = "feedbridge";

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
  static PGSimpleDataSource impatient(String url, String application, Duration wait) {
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
    source.setOptions("-c jit=off" + DEAD_CLIENTS);
    source.setConnectTimeout((int) CONNECT_WAIT.toSeconds());
    source.setSocketTimeout((int) SOCKET_WAIT.toSeconds());
    source.setTcpKeepAlive(true);
    source.setPreparedStatementCacheQueries(PREPARED_STATEMENTS);
    source.setPrepareThreshold(2);
    return source;
  }

  /** Connections of readers. */
  static PGSimpleDataSource reading(String url, String application) {
    return limited(source(url, application), IDLE_READER);
  }

  /** Connections of the writer. */
  static PGSimpleDataSource writing(String url, String application) {
    PGSimpleDataSource source = limited(impatient(url, application, WRITE_WAIT), IDLE_WRITER);
    source.setOptions(source.getOptions() + READ_COMMITTED);
    return source;
  }

  /** Connections of migrations, each of whose statements may take as long as it needs. */
  static PGSimpleDataSource migrating(String url, String application) {
    PGSimpleDataSource source = source(url, application);
    source.setSocketTimeout(0);
    return source;
  }

  /**
   * Has the server bound the transactions of a source. A migration has no such bounds.
   *
   * @param idle the longest wait for the next statement of a transaction
   */
  static PGSimpleDataSource limited(PGSimpleDataSource source, Duration idle) {
    source.setOptions(
        "%s -c idle_in_transaction_session_timeout=%d -c lock_timeout=%d"
            .formatted(source.getOptions(), idle.toMillis(), LOCK_WAIT.toMillis()));
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
