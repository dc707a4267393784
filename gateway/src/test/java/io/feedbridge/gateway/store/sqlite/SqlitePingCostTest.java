package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.PingCostContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class SqlitePingCostTest extends PingCostContract {

  @TempDir Path folder;

  @Override
  protected Backend open() {
    return new SqliteBackend(folder);
  }

  /** As long as the bound holds, the log is not copied, and so does not start anew. */
  @Override
  protected long logBytes() throws IOException {
    return Files.size(folder.resolve("feedbridge.db-wal"));
  }
}
