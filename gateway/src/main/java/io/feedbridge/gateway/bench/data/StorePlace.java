package io.feedbridge.gateway.bench.data;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the store of a scenario's gateway is.
 *
 * @param folder of the scenario, with the gateway's data folder in it
 * @param url the JDBC URL of its database; null where the data folder has the store
 */
public record StorePlace(Path folder, @Nullable String url) {

  /** The gateway's data folder. */
  public Path data() {
    return folder.resolve("data");
  }

  /** The options by which a gateway uses the store. */
  public List<String> options() {
    return url == null
        ? List.of("--data=" + data())
        : List.of("--data=" + data(), "--store=" + url);
  }
}
