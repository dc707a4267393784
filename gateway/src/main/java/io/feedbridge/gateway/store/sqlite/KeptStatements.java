package io.feedbridge.gateway.store.sqlite;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.statement.StatementBuilder;
import org.jdbi.v3.core.statement.StatementBuilderFactory;
import org.jdbi.v3.core.statement.StatementContext;
import org.sqlite.SQLiteConnection;

/**
 * The statements of a connection, which are kept compiled: SQLite takes longer to compile most of
 * them than to run them. A caller that needs a statement in use gets another copy. Used by one
 * thread at a time, like the connection.
 */
final class KeptStatements implements StatementBuilder {

  /** Statements that are kept for each connection: the most recently used ones. */
  static final int MAX_KEPT = 100;

  private final SQLiteConnection connection;
  private final Set<Statement> inUse = new HashSet<>();

  /**
   * The statements that are not in use, by their text; the most recently used statement is the
   * last.
   */
  private final Map<String, KeptStatement> kept = new LinkedHashMap<>();

  private KeptStatements(SQLiteConnection connection) {
    this.connection = connection;
  }

  /** Keeps statements for as long as their connection is open, across its borrowers. */
  static StatementBuilderFactory factory() {
    Map<SQLiteConnection, KeptStatements> open = new ConcurrentHashMap<>();
    return lent -> {
      SQLiteConnection connection = underneath(lent);
      KeptStatements known = open.get(connection);
      if (known == null) {
        // SQLite has freed the statements of a closed connection.
        open.keySet().removeIf(KeptStatements::isClosed);
        known = new KeptStatements(connection);
        open.put(connection, known);
      }
      return known;
    };
  }

  private static SQLiteConnection underneath(Connection connection) {
    try {
      return connection.unwrap(SQLiteConnection.class);
    } catch (SQLException e) {
      throw new IllegalArgumentException("not a connection to SQLite", e);
    }
  }

  private static boolean isClosed(SQLiteConnection connection) {
    try {
      return connection.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }

  @Override
  public PreparedStatement create(Connection lent, String sql, StatementContext context)
      throws SQLException {
    KeptStatement known = kept.remove(sql);
    KeptStatement statement = known == null ? new KeptStatement(connection, sql) : known;
    inUse.add(statement);
    return statement;
  }

  @Override
  public Statement create(Connection lent, StatementContext context) throws SQLException {
    Statement statement = connection.createStatement();
    inUse.add(statement);
    return statement;
  }

  @Override
  public CallableStatement createCall(Connection lent, String sql, StatementContext context)
      throws SQLException {
    throw new SQLFeatureNotSupportedException("SQLite has no procedures");
  }

  @Override
  public void close(Connection lent, String rawSql, Statement statement) throws SQLException {
    // A second close of a statement must not close it for its next user.
    if (inUse.remove(statement)) {
      end(statement);
    }
  }

  private void end(Statement statement) throws SQLException {
    if (statement instanceof KeptStatement mine && mine.end()) {
      keep(mine);
    } else {
      statement.close();
    }
  }

  private void keep(KeptStatement statement) throws SQLException {
    KeptStatement twin = kept.remove(statement.sql());
    kept.put(statement.sql(), statement);
    if (twin != null) {
      twin.close();
    }
    if (kept.size() > MAX_KEPT) {
      Iterator<KeptStatement> eldest = kept.values().iterator();
      KeptStatement evicted = eldest.next();
      eldest.remove();
      evicted.close();
    }
  }

  /** Closes the statements that were left open when the connection is given back. */
  @Override
  public void close(Connection lent) {
    for (Statement left : inUse) {
      try {
        left.close();
      } catch (SQLException e) {
        // The failure of its last step was reported at that step.
      }
    }
    inUse.clear();
  }
}
