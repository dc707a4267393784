package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.Ownership;
import io.feedbridge.gateway.store.sql.Ownership.Owner;
import io.feedbridge.gateway.web.api.model.ClusterView;
import io.feedbridge.gateway.web.common.Answers;
import java.util.ArrayList;
import java.util.List;

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

  /** {@code GET /cluster}: the owner, this node too if it is not the owner any more, the others. */
  Response get(Request request) {
    Owner owner = ownership.owner();
    Owner self = ownership.self();
    List<ClusterView.Node> nodes = new ArrayList<>();
    nodes.add(
        new ClusterView.Node(
            owner.node(),
            LIVE,
            Ownership.PARTITIONS,
            owner.epoch(),
            ownership.behind(),
            owner.since(),
            owner.address()));
    if (self.epoch() > 0 && owner.epoch() != self.epoch()) {
      nodes.add(new ClusterView.Node(self.node(), DEAD, 0, self.epoch(), 0, null, null));
    }
    ownership
        .standbys()
        .forEach(
            other ->
                nodes.add(
                    new ClusterView.Node(
                        other.node(),
                        other.dead() ? DEAD : STANDBY,
                        0,
                        0,
                        0,
                        other.since(),
                        other.address())));
    return Answers.json(
        OK, new ClusterView(Ownership.PARTITIONS, nodes, ownership.takeovers(SHOWN)));
  }
}
