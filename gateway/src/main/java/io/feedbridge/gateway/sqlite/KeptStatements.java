package io.feedbridge.gateway.sqlite;

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
 * them than to run them. Whoever asks for one that is in use gets another. Used by one thread at a
 * time, as the connection is.
 */
final class KeptStatements implements StatementBuilder {

  /** Statements that are kept for each connection, those that were used last. */
  static final int MAX_KEPT = 100;

  private final SQLiteConnection connection;
  private final Set<Statement> inUse = new HashSet<>();

  /** Those that nobody uses, by their text; the one that was used last is the last one. */
  private final Map<String, KeptStatement> kept = new LinkedHashMap<>();

  private KeptStatements(SQLiteConnection connection) {
    this.connection = connection;
  }

  /** Keeps statements for as long as their connection is open, whoever has that meanwhile. */
  static StatementBuilderFactory factory() {
    Map<SQLiteConnection, KeptStatements> open = new ConcurrentHashMap<>();
    return lent -> {
      SQLiteConnection connection = underneath(lent);
      KeptStatements known = open.get(connection);
      if (known == null) {
        // With their connection, what SQLite had of them is gone.
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
    // Whoever closes one twice does not close it for somebody else.
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

  /** The connection is given back: what was left open holds up nobody from here on. */
  @Override
  public void close(Connection lent) {
    for (Statement left : inUse) {
      try {
        left.close();
      } catch (SQLException e) {
        // That its last step failed was told then.
      }
    }
    inUse.clear();
  }
}
