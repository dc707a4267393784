package io.feedbridge.gateway.store.sql.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.sqlite.EmptyStore;
import io.feedbridge.gateway.testing.StoredRows;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteDataSource;

/** The list of migrations by which a start finds that there is nothing to migrate. */
class SchemaVersionsTest {

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"db/sqlite", "db/postgres"})
  void the_list_has_each_migration_of_its_folder(String migrations) throws Exception {
    try (Stream<Path> files = Files.list(resource(migrations))) {
      assertThat(SchemaVersions.of(migrations).versions())
          .as("%s/versions.txt", migrations)
          .isEqualTo(
              files
                  .map(file -> file.getFileName().toString())
                  .filter(name -> name.endsWith(".sql"))
                  .map(name -> name.substring(1, name.indexOf("__")).replace('_', '.'))
                  .collect(Collectors.toSet()));
    }
  }

  private static Path resource(String name) throws URISyntaxException {
    return Path.of(
        Objects.requireNonNull(SchemaVersionsTest.class.getClassLoader().getResource(name))
            .toURI());
  }

  private boolean isCurrent() {
    SQLiteDataSource source = new SQLiteDataSource();
    source.setUrl("jdbc:sqlite:" + folder.resolve("feedbridge.db"));
    return SchemaVersions.of("db/sqlite").areThoseOf(source);
  }

  @Test
  void a_store_of_this_gateway_has_all_of_them() {
    EmptyStore.in(folder);

    assertThat(isCurrent()).isTrue();
  }

  @Test
  void a_store_that_lacks_one_or_has_another_is_for_flyway() {
    EmptyStore.in(folder);

    StoredRows.change(
        folder, "UPDATE flyway_schema_history SET version = '999' WHERE version = '51'");
    assertThat(isCurrent()).isFalse();
    StoredRows.change(folder, "DELETE FROM flyway_schema_history WHERE version = '999'");
    assertThat(isCurrent()).isFalse();
  }

  @Test
  void a_file_without_tables_is_for_flyway() {
    assertThat(isCurrent()).isFalse();
  }
}
