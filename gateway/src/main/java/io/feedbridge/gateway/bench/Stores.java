package io.feedbridge.gateway.bench;

import io.feedbridge.gateway.bench.data.StorePlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the stores of a bench are: files, or databases of a PostgreSQL server, each of which is
 * made when it is asked for and removed at the end.
 */
final class Stores implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Stores.class);

  private final Optional<String> server;
  private final List<String> databases = new ArrayList<>();

  /**
   * No stores yet.
   *
   * @param server the JDBC URL of a database whose login may make others; empty for files
   */
  Stores(Optional<String> server) {
    this.server = server;
  }

  /** The place of the store of a new scenario. */
  StorePlace in(Path folder) throws BenchException, IOException {
    if (server.isEmpty()) {
      return new StorePlace(folder, null);
    }
    Matcher url = Plan.DATABASE.matcher(server.get());
    if (!url.matches()) {
      // The URL may have a password.
      throw new BenchException("--store: it is not the URL of a database");
    }
    String name = "feedbridge_bench_" + UUID.randomUUID().toString().replace("-", "");
    execute("CREATE DATABASE " + name);
    databases.add(name);
    StorePlace place = new StorePlace(folder, url.group(1) + name + url.group(2));
    // The key of the store is kept there.
    Files.createDirectories(place.data());
    return place;
  }

  private void execute(String statement) throws BenchException {
    try (Connection connection = DriverManager.getConnection(server.orElseThrow());
        Statement made = connection.createStatement()) {
      made.execute(statement);
    } catch (SQLException e) {
      throw new BenchException(
          "--store: a database for the bench cannot be made: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    for (String name : databases) {
      try {
        execute("DROP DATABASE " + name + " WITH (FORCE)");
      } catch (BenchException e) {
        log.atWarn().setCause(e).addKeyValue("database", name).log("A database was left behind");
      }
    }
    databases.clear();
  }
}
