package io.feedbridge.gateway.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** {@code feedbridge bench} from the jar, far too small to measure anything. */
class BenchIT {

  private static final Duration WITHIN = Duration.ofMinutes(2);

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
}
