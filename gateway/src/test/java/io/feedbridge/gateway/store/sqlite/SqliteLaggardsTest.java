package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.LaggardsContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class SqliteLaggardsTest extends LaggardsContract {

  @TempDir Path folder;

  @Override
  protected Backend open() {
    return new SqliteBackend(folder);
  }
}
