package io.feedbridge.gateway.store.sqlite;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.database.FeedParts;
import io.feedbridge.gateway.store.sql.database.PlainArguments;
import io.feedbridge.gateway.store.sql.database.StatementSyntax;
import java.nio.file.Path;
import java.time.Duration;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementException;
import org.jdbi.v3.core.statement.StatementExceptions;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** How a database file is opened. */
final class Connections {

  static final Duration BUSY_WAIT = Duration.ofSeconds(10);

  /** Readers at once; in WAL mode they neither wait for the writer nor hold it up. */
  static final int READERS = 4;

  private static final Duration READER_WAIT = Duration.ofSeconds(10);

  private Connections() {}

  /** Connections that may write, each a new one. */
  static DataSource writing(Path database) {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.enforceForeignKeys(true);
    return source(config, database);
  }

  /** Connections that leave the file, and the log beside it, as they are, each a new one. */
  static DataSource reading(Path database) {
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    return source(config, database);
  }

  private static DataSource source(SQLiteConfig config, Path database) {
    NativeLibrary.load();
    config.setBusyTimeout((int) BUSY_WAIT.toMillis());
    // The driver would look generated keys up after each insert, and no code uses them.
    config.setGetGeneratedKeys(false);
    SQLiteDataSource source = new SQLiteDataSource(config);
    source.setUrl("jdbc:sqlite:" + database);
    return source;
  }

  /**
   * A pool for readers.
   *
   * @throws StoreException if none can be opened
   */
  static HikariDataSource readers(Path database) {
    HikariConfig pool = new HikariConfig();
    pool.setPoolName("store-readers");
    pool.setDataSource(writing(database));
    // Each reads the schema when it is opened.
    pool.setMinimumIdle(1);
    pool.setMaximumPoolSize(READERS);
    pool.setConnectionTimeout(READER_WAIT.toMillis());
    try {
      return new HikariDataSource(pool);
    } catch (com.zaxxer.hikari.pool.HikariPool.PoolInitializationException e) {
      throw FileCheck.unreadable(database, e);
    }
  }

  /** Statements over a source. Their failures name no values, because values may be secrets. */
  static Jdbi jdbi(DataSource source) {
    Jdbi jdbi = Jdbi.create(source);
    jdbi.setStatementBuilderFactory(KeptStatements.factory());
    jdbi.registerArgument(new PlainArguments());
    // Made here, it is shared by all statements.
    jdbi.getConfig(FeedParts.class);
    StatementSyntax syntax = new StatementSyntax(text -> text);
    jdbi.getConfig(SqlStatements.class).setTemplateEngine(syntax).setSqlParser(syntax);
    jdbi.getConfig(StatementExceptions.class).setMessageRendering(Connections::withoutValues);
    return jdbi;
  }

  private static String withoutValues(StatementException failure) {
    String sql =
        failure.getStatementContext() == null ? "" : failure.getStatementContext().getRawSql();
    return "%s [%s]".formatted(failure.getShortMessage(), sql);
  }
}
