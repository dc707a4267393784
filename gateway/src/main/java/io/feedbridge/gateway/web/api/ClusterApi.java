package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.Ownership;
import io.feedbridge.gateway.store.sql.Ownership.Owner;
import io.feedbridge.gateway.web.common.Answers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/cluster}: the nodes of the store, with the partitions that each of them owns. */
final class ClusterApi {

  private static final int OK = 200;

  /** Takeovers in the answer. */
  private static final int SHOWN = 20;

  private static final String LIVE = "live";
  private static final String STANDBY = "standby";
  private static final String DEAD = "dead";

  private final Ownership ownership;

  ClusterApi(Ownership ownership) {
    this.ownership = ownership;
  }

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
  record View(
      @Nullable String node,
      String state,
      int partitions,
      long epoch,
      long behind,
      @Nullable Instant since,
      @Nullable String address) {}

  /** The answer: the nodes, and the processes that became the owner, the newest first. */
  public record Cluster(int partitions, List<View> nodes, List<Ownership.Takeover> takeovers) {}

  /** {@code GET /cluster}: the owner, this node too if it is not the owner any more, the others. */
  Response get(Request request) {
    Owner owner = ownership.owner();
    Owner self = ownership.self();
    List<View> nodes = new ArrayList<>();
    nodes.add(
        new View(
            owner.node(),
            LIVE,
            Ownership.PARTITIONS,
            owner.epoch(),
            ownership.behind(),
            owner.since(),
            owner.address()));
    if (self.epoch() > 0 && owner.epoch() != self.epoch()) {
      nodes.add(new View(self.node(), DEAD, 0, self.epoch(), 0, null, null));
    }
    ownership
        .standbys()
        .forEach(
            other ->
                nodes.add(
                    new View(
                        other.node(),
                        other.dead() ? DEAD : STANDBY,
                        0,
                        0,
                        0,
                        other.since(),
                        other.address())));
    return Answers.json(OK, new Cluster(Ownership.PARTITIONS, nodes, ownership.takeovers(SHOWN)));
  }
}
