package io.feedbridge.gateway.store.sqlite;

/**
 * Tries whether the storage can be written again. It takes as much room as a few writes would, so
 * that the store does not waver between full and not full with each of them.
 */
final class Probe {

  static final int BYTES = 256 << 10;

  private final WriterConnection connection;
  private final Checkpoints checkpoints;

  /** For the writer's thread alone. */
  Probe(WriterConnection connection, Checkpoints checkpoints) {
    this.connection = connection;
    this.checkpoints = checkpoints;
  }

  /** Returns once a commit succeeded; throws the failure of the commit otherwise. */
  void run() {
    // Both files must have room: the content of the log is to be copied into the database.
    checkpoints.run(connection.open());
    // The probe makes two commits: pages that are given back in the same commit are never written.
    commit("INSERT OR REPLACE INTO probe (id, bytes) VALUES (1, zeroblob(" + BYTES + "))");
    commit("DELETE FROM probe");
  }

  private void commit(String statement) {
    connection.begin().execute(statement);
    connection.commit();
  }
}
