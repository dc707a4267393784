package io.feedbridge.gateway.store.sql.database;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.config.ConfigRegistry;
import org.jdbi.v3.core.statement.ParsedSql;
import org.jdbi.v3.core.statement.SqlParser;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.TemplateEngine;

/**
 * Reads the text of statements: {@code <name>} is a defined part, {@code :name} or {@code ?} a
 * parameter, except within quotes. Jdbi's own readers have the same rules, and take a third of the
 * processor time of a start: each text goes through two lexers that interpret their grammar. Safe
 * for use by several threads.
 */
public final class StatementSyntax implements TemplateEngine.Parsing, SqlParser {

  /** Texts whose parameters are known; a list of values makes a text of its own for each length. */
  private static final int MAX_TEXTS = 2_000;

  private static final Pattern DEFINED = Pattern.compile("<(\\w+)>");

  /** A quoted part, two colons, or a parameter: a named one has a group. */
  private static final Pattern PARAMETER =
      Pattern.compile("'[^']*'|\"[^\"]*\"|::|:([A-Za-z_]\\w*)|\\?");

  private final UnaryOperator<String> dialect;
  private final Cache<String, ParsedSql> parsed =
      Caffeine.newBuilder().maximumSize(MAX_TEXTS).build();

  /**
   * A reader.
   *
   * @param dialect makes of a statement the one that the engine understands
   */
  public StatementSyntax(UnaryOperator<String> dialect) {
    this.dialect = dialect;
  }

  @Override
  public Optional<Function<StatementContext, String>> parse(
      String template, ConfigRegistry config) {
    String text = dialect.apply(template);
    return Optional.of(
        DEFINED.matcher(text).find() ? context -> withParts(text, context) : context -> text);
  }

  private static String withParts(String text, StatementContext context) {
    SqlStatements defined = context.getConfig(SqlStatements.class);
    return DEFINED
        .matcher(text)
        .replaceAll(
            found -> {
              Object part = defined.getAttribute(found.group(1));
              if (part == null) {
                throw new IllegalStateException("no part is defined for " + found.group());
              }
              return Matcher.quoteReplacement(part.toString());
            });
  }

  @Override
  public ParsedSql parse(String sql, StatementContext context) {
    return parsed.get(sql, StatementSyntax::parsed);
  }

  private static ParsedSql parsed(String sql) {
    ParsedSql.Builder builder = ParsedSql.builder();
    Matcher found = PARAMETER.matcher(sql);
    int from = 0;
    while (found.find()) {
      boolean numbered = found.group().equals("?");
      if (numbered || found.group(1) != null) {
        builder.append(sql.substring(from, found.start()));
        if (numbered) {
          builder.appendPositionalParameter();
        } else {
          builder.appendNamedParameter(found.group(1));
        }
        from = found.end();
      }
    }
    return builder.append(sql.substring(from)).build();
  }

  @Override
  public String nameParameter(String rawName, StatementContext context) {
    return ":" + rawName;
  }
}
