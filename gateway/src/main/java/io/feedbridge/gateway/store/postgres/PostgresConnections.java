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

  private PostgresConnections() {}

  /** Connections by a JDBC URL, each a new one. */
  static DataSource source(String url) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    source.setApplicationName("feedbridge");
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
    StatementSyntax syntax = new StatementSyntax(PostgresConnections::withoutHints);
    jdbi.getConfig(SqlStatements.class).setTemplateEngine(syntax).setSqlParser(syntax);
    jdbi.getConfig(StatementExceptions.class).setMessageRendering(PostgresConnections::plain);
    return jdbi;
  }

  private static String plain(StatementException failure) {
    String sql =
        failure.getStatementContext() == null ? "" : failure.getStatementContext().getRawSql();
    return "%s [%s]".formatted(failure.getShortMessage(), sql);
  }

  /** The statements of the rules, without hints that are for SQLite. */
  private static String withoutHints(String text) {
    return INDEX_HINT.matcher(text).replaceAll("");
  }
}
