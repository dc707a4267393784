package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.websub.GuardQuestion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asks the guards that publishers name for their topics, for each subscription and each renewal.
 * Safe for use by several threads.
 */
final class TopicGuards {

  /** A reason is a sentence. */
  private static final int MAX_ANSWER = 4 * 1024;

  private final OutboundClient client;

  TopicGuards(OutboundClient client) {
    this.client = client;
  }

  /**
   * The verdict about a callback.
   *
   * @param guard the guard's URL
   * @param renewal whether the callback has a subscription
   * @param atMost until the guard must have answered
   */
  CompletableFuture<GuardQuestion.Verdict> ask(
      String guard, GuardQuestion question, boolean renewal, Duration atMost) {
    byte[] body = question.body().getBytes(StandardCharsets.UTF_8);
    return client
        .send(
            Call.post(guard, Purpose.FETCH, body)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .truncateBodyAt(MAX_ANSWER)
                .timeout(atMost)
                // A feed can name any URL of the web as its guard.
                .unlessWanted(reply -> GuardQuestion.isAnswer(reply.status()))
                .wantedBefore(renewal)
                .build())
        .handle(TopicGuards::verdict);
  }

  private static GuardQuestion.Verdict verdict(@Nullable Reply reply, @Nullable Throwable failure) {
    if (reply != null) {
      return GuardQuestion.verdict(reply.status(), reply.body());
    }
    String why =
        "the guard of the topic could not be asked: "
            + (failure == null ? "unknown reason" : failure.getMessage());
    // The guard's outage is no permission, and another try does not make an address a permitted
    // one.
    return failure instanceof CallException call && call.isRefused()
        ? new GuardQuestion.Denied(why)
        : new GuardQuestion.Unanswered(why);
  }
}
