package io.feedbridge.gateway.store.sql.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatements;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The text of statements: parameters, defined parts, quotes, and the dialect of an engine. */
class StatementSyntaxTest {

  private final Handle handle = open(UnaryOperator.identity());

  private static Handle open(UnaryOperator<String> dialect) {
    Jdbi jdbi = Jdbi.create("jdbc:sqlite::memory:");
    StatementSyntax syntax = new StatementSyntax(dialect);
    jdbi.getConfig(SqlStatements.class).setTemplateEngine(syntax).setSqlParser(syntax);
    return jdbi.open();
  }

  @AfterEach
  void close() {
    handle.close();
  }

  private String read(String sql) {
    return handle.createQuery(sql).bind("name", "value").mapTo(String.class).one();
  }

  @Test
  void a_name_after_a_colon_is_a_parameter_each_time() {
    assertThat(read("SELECT :name || '-' || :name")).isEqualTo("value-value");
  }

  @Test
  void a_question_mark_is_a_parameter_by_its_place() {
    assertThat(handle.select("SELECT ? || ? || '?'", "a", "b").mapTo(String.class).one())
        .isEqualTo("ab?");
  }

  @Test
  void a_colon_within_quotes_is_text() {
    assertThat(read("SELECT 'it''s :other ' || :name AS \"a:b\"")).isEqualTo("it's :other value");
  }

  @Test
  void two_colons_are_no_parameter() {
    assertThat(
            new StatementSyntax(UnaryOperator.identity())
                .parse("SELECT :name::text", handle.createQuery("SELECT 1").getContext())
                .getSql())
        .isEqualTo("SELECT ?::text");
  }

  @Test
  void a_list_has_a_parameter_for_each_value() {
    String sql =
        "SELECT COUNT(*) FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) WHERE n IN (<some>)";

    for (List<Integer> some : List.of(List.of(1), List.of(1, 3), List.of(7))) {
      long found = some.stream().filter(n -> n <= 3).count();
      assertThat(handle.createQuery(sql).bindList("some", some).mapTo(Long.class).one())
          .isEqualTo(found);
    }
  }

  @Test
  void a_defined_part_stands_as_it_is_and_another_sign_is_a_comparison() {
    assertThat(
            handle
                .createQuery("SELECT <part> WHERE 1 <> 2 AND 1 < 2 AND 3 > 2")
                .define("part", "'$1'")
                .mapTo(String.class)
                .one())
        .isEqualTo("$1");
  }

  @Test
  void a_part_that_is_not_defined_fails() {
    assertThatThrownBy(() -> handle.createQuery("SELECT <part>").mapTo(String.class).one())
        .hasMessageContaining("<part>");
  }

  @Test
  void the_dialect_changes_the_text_before_its_parts_are_read() {
    try (Handle other = open(text -> text.replace("INDEXED BY x", "<part>"))) {
      assertThat(
              other
                  .createQuery("SELECT INDEXED BY x")
                  .define("part", "5")
                  .mapTo(Integer.class)
                  .one())
          .isEqualTo(5);
    }
  }
}
