package io.feedbridge.gateway.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What a request that is refused must leave as it was: the store, the meters, the neighbours. */
public record Untouched(World world, Map<String, List<String>> rows, List<String> meters) {

  /** What counts messages and their consequences, and not the requests themselves. */
  private static final Pattern COUNTED =
      Pattern.compile("feedbridge_(pings|fetches|events|entries|deliveries)_.*");

  public static Untouched of(World world) {
    world.gateway().settle();
    return new Untouched(world, world.gateway().rows().all(), meters(world));
  }

  public void holds() {
    assertThat(world.gateway().rows().all()).isEqualTo(rows);
    assertThat(meters(world)).isEqualTo(meters);
  }

  private static List<String> meters(World world) {
    return world
        .gateway()
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> COUNTED.matcher(line).matches())
        .toList();
  }
}
