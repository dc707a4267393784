package io.feedbridge.gateway.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.StoredRows;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code feedbridge bench} from the jar, far too small to measure anything. */
class BenchIT {

  private static final Duration WITHIN = Duration.ofMinutes(10);

  @Test
  void it_delivers_all_of_a_scenario_beside_its_reference_and_tells_their_ratio() throws Exception {
    GatewayProcess.Exit exit =
        GatewayProcess.command(
            WITHIN, "bench", "--scenario=a", "--scale=0.01", "--rounds=1", "--json");

    assertThat(exit.code()).as(exit.errors()).isZero();
    JsonNode figures = new ObjectMapper().readTree(exit.errors()).get(0).get("figures");
    assertThat(figures.get("rate").get("value").asDouble()).isPositive();
    assertThat(figures.get("ratio").get("value").asDouble()).isPositive();
    assertThat(figures.get("ratio").get("atLeast").asDouble()).isEqualTo(0.8);
    assertThat(figures.get("cpu").get("value").asDouble()).isPositive();
  }

  @Test
  void it_measures_with_stores_in_PostgreSQL_and_leaves_no_database_behind() throws Exception {
    try (TestServer server = TestServer.durable()) {
      String database = server.empty();

      GatewayProcess.Exit exit =
          GatewayProcess.command(
              WITHIN,
              "bench",
              "--scenario=e",
              "--scale=0.01",
              "--rounds=1",
              "--json",
              "--store=" + database);

      assertThat(exit.code()).as(exit.errors()).isZero();
      JsonNode figures = new ObjectMapper().readTree(exit.errors()).get(0).get("figures");
      assertThat(figures.get("commits").get("value").asDouble()).isPositive();
      assertThat(figures.get("rate").get("value").asDouble()).isPositive();
      assertThat(StoredRows.at(database).count("pg_database WHERE datname LIKE '%bench%'"))
          .isZero();
    }
  }

  @Test
  void a_server_of_its_own_ends_with_it(@TempDir Path folder) throws Exception {
    String url;
    try (TestServer server = TestServer.durable();
        OwnServer own = OwnServer.start(folder, List.of(server.programs()))) {
      url = own.url();
      assertThat(StoredRows.at(url).query("SHOW fsync")).containsExactly("on");
    }
    assertThatThrownBy(() -> DriverManager.getConnection(url)).isInstanceOf(SQLException.class);
  }

  @Test
  void a_server_that_is_not_installed_is_refused_with_the_remedy(@TempDir Path folder) {
    assertThatThrownBy(() -> OwnServer.start(folder, List.of(folder)))
        .isInstanceOf(BenchException.class)
        .hasMessageContaining("Install PostgreSQL, or name a server");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:postgresql:mine", "jdbc:postgresql://127.0.0.1", "postgres"})
  void a_store_that_names_no_database_of_a_server_is_refused(String store) {
    GatewayProcess.Exit exit = GatewayProcess.command("bench", "--scenario=e", "--store=" + store);

    assertThat(exit.code()).isEqualTo(2);
    assertThat(exit.errors()).contains("--store: jdbc:postgresql://HOST/DATABASE");
  }
}
