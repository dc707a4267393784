package io.feedbridge.gateway.store.sql.database;

import java.lang.reflect.Type;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.argument.ArgumentFactory;
import org.jdbi.v3.core.config.ConfigRegistry;

/**
 * Binds nearly all values of a statement. Jdbi can bind them as well, but searches all of its
 * factories for each value of each statement; it asks the factory that was added last first.
 */
public final class PlainArguments implements ArgumentFactory.Preparable {

  private static final Map<Type, Optional<Function<Object, Argument>>> KNOWN =
      Map.of(
          long.class, plain(Types.BIGINT, PreparedStatement::setLong),
          Long.class, plain(Types.BIGINT, PreparedStatement::setLong),
          int.class, plain(Types.INTEGER, PreparedStatement::setInt),
          Integer.class, plain(Types.INTEGER, PreparedStatement::setInt),
          boolean.class, plain(Types.SMALLINT, PlainArguments::setFlag),
          Boolean.class, plain(Types.SMALLINT, PlainArguments::setFlag),
          String.class, plain(Types.VARCHAR, PlainArguments::setText),
          byte[].class, plain(Types.VARBINARY, PreparedStatement::setBytes));

  /** Flags are numbers in each table. */
  private static void setFlag(PreparedStatement statement, int position, boolean flag)
      throws SQLException {
    statement.setShort(position, (short) (flag ? 1 : 0));
  }

  /** PostgreSQL has no text with U+0000. Both engines keep the same text, with U+FFFD for it. */
  private static void setText(PreparedStatement statement, int position, String text)
      throws SQLException {
    statement.setString(position, text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD'));
  }

  private interface Setter<T> {
    void set(PreparedStatement statement, int position, T value) throws SQLException;
  }

  @SuppressWarnings("unchecked")
  private static <T> Optional<Function<Object, Argument>> plain(int sqlType, Setter<T> setter) {
    return Optional.of(
        value ->
            (position, statement, context) -> {
              if (value == null) {
                statement.setNull(position, sqlType);
              } else {
                setter.set(statement, position, (T) value);
              }
            });
  }

  @Override
  public Optional<Function<Object, Argument>> prepare(Type type, ConfigRegistry config) {
    return KNOWN.getOrDefault(type, Optional.empty());
  }
}
