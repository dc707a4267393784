package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.ListsContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class SqliteListsTest extends ListsContract {

  @TempDir Path folder;

  @Override
  protected Backend open() {
    return new SqliteBackend(folder);
  }
}
