package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.StoredRows;
import io.feedbridge.gateway.testing.TestGateway;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The nodes of a store over the API. */
class ClusterApiTest {

  @TempDir Path data;

  private String epoch() {
    List<String> rows = new StoredRows(data).query("SELECT epoch FROM owner");
    return rows.get(0);
  }

  @Test
  void one_node_owns_all_partitions_in_the_epoch_of_the_store() {
    try (TestGateway gateway = TestGateway.on(data)) {
      assertThat(gateway.get("/api/v1/cluster").body())
          .startsWith("{\"partitions\":64,\"nodes\":[{")
          .contains(
              "\"node\":\"localhost\"",
              "\"state\":\"live\"",
              "\"partitions\":64",
              "\"epoch\":" + epoch(),
              "\"behind\":0",
              "\"since\":\"",
              "\"takeovers\":[{\"epoch\":" + epoch() + ",\"node\":\"localhost\",\"at\":\"",
              "\"cause\":\"the gateway was started\"");
      assertThat(gateway.get("/metrics").body())
          .contains("feedbridge_cluster_partitions 64", "feedbridge_cluster_epoch " + epoch());
      assertThat(gateway.get("/access").statusCode()).isEqualTo(200);
      assertThat(gateway.get("/access").body()).contains("localhost", "64 of 64");
    }
  }

  @Test
  void a_node_that_another_process_has_replaced_says_that_it_owns_nothing() {
    try (TestGateway gateway = TestGateway.on(data)) {
      StoredRows.change(data, "UPDATE owner SET epoch = epoch + 1, node = 'other'");

      assertThat(gateway.get("/api/v1/cluster").body())
          .containsPattern("\"node\":\"other\",\"state\":\"live\",\"partitions\":64")
          .containsPattern("\"node\":\"localhost\",\"state\":\"dead\",\"partitions\":0");
      assertThat(gateway.get("/metrics").body()).contains("feedbridge_cluster_partitions 0");
    }
  }
}
