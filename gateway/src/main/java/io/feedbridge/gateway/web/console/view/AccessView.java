package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Things of the page about access, as the API shows them. */
public final class AccessView {

  private AccessView() {}

  /**
   * A token of a login.
   *
   * @param token shown once, when it is made; absent otherwise
   */
  public record Token(
      String id, String login, List<String> rights, Instant createdAt, @Nullable String token) {}

  /**
   * A publisher of signed content.
   *
   * @param secret shown once, when it is made; absent otherwise
   */
  public record Publisher(String id, String topic, Instant createdAt, @Nullable String secret) {}

  /** A caller that a limit holds back. */
  public record Caller(
      String caller,
      String limit,
      String reason,
      long refusals,
      Instant lastRefusedAt,
      Instant until) {}

  /** The nodes of the store. */
  public record Cluster(int partitions, List<Node> nodes, List<Takeover> takeovers) {}

  /** A process that became the owner. */
  public record Takeover(long epoch, String node, Instant at, String cause) {}

  /** A node; its name is null until the node has told it. */
  public record Node(
      @Nullable String node,
      String state,
      int partitions,
      long epoch,
      long behind,
      @Nullable Instant since,
      @Nullable String address) {}
}
