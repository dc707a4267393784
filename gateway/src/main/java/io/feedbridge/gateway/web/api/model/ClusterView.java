package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.store.sql.Ownership;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The nodes of the store, and the processes that became the owner, the newest first. */
public record ClusterView(int partitions, List<Node> nodes, List<Ownership.Takeover> takeovers) {

  /**
   * A node.
   *
   * @param node its name; null for a process that has not told it yet
   * @param state {@code live} for the owner, {@code standby} for a node that would take over,
   *     {@code dead} for a node whose lease has expired, or that another process has replaced
   * @param partitions the number of partitions that it owns
   * @param epoch in which it opened the store; 0 for a node that has not
   * @param behind work items and rounds that wait for it
   * @param since when it opened the store, or joined the nodes
   * @param address under which other nodes reach it
   */
  public record Node(
      @Nullable String node,
      String state,
      int partitions,
      long epoch,
      long behind,
      @Nullable Instant since,
      @Nullable String address) {}
}
