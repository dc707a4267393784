package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.feedbridge.gateway.cli.remote.JsonLine;
import io.feedbridge.gateway.cli.remote.Outcome;
import io.feedbridge.gateway.cli.remote.PlainText;
import java.io.PrintWriter;
import java.time.Duration;

/** Tells the outcome of a subscription, in sentences or as lines of JSON. */
final class SubscriptionReport {

  private static final int FAILED = 1;

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;

  SubscriptionReport(PrintWriter out, PrintWriter err, boolean json) {
    this.out = out;
    this.err = err;
    this.json = json;
  }

  /** Tells that a subscription is active, or waits for the first document of its feed. */
  void tell(JsonNode subscription, JsonNode feed) {
    if (json) {
      ObjectNode shown = subscription.deepCopy();
      shown.set("kind", feed.path("kind"));
      shown.set("problem", feed.path("problem"));
      json(shown);
      return;
    }
    boolean waits = subscription.path("state").asText().equals("waiting");
    out(
        (waits ? "confirmed, and waits for the feed's first document," : "active")
            + until(subscription));
    if (feed.path("problem").isTextual()) {
      err("but the feed has a problem: " + feed.path("problem").asText());
    }
  }

  /**
   * Tells any other outcome.
   *
   * @param longest the time that was waited for it
   * @return the exit code
   */
  int tell(Outcome outcome, Duration longest) {
    if (outcome instanceof Outcome.Denied denied) {
      String reason = denied.reason();
      if (json) {
        json(JsonNodeFactory.instance.objectNode().put("state", "denied").put("reason", reason));
      } else {
        err("not subscribed: " + (reason == null ? "the gateway does not say why" : reason));
      }
      return FAILED;
    }
    if (outcome instanceof Outcome.Disabled disabled) {
      if (json) {
        json(disabled.webhook());
      } else {
        err(
            "the webhook is disabled: "
                + disabled.webhook().path("reason").asText("the gateway does not say why"));
      }
      return FAILED;
    }
    if (outcome instanceof Outcome.Kept kept) {
      if (json) {
        json(kept.subscription());
      } else {
        err(kept.reason() + "; the existing subscription is unchanged");
      }
      return FAILED;
    }
    Outcome.Pending pending = (Outcome.Pending) outcome;
    JsonNode subscription = pending.subscription();
    if (subscription == null) {
      if (!json) {
        out("requested: the callback must confirm next");
      }
      return 0;
    }
    if (json) {
      json(subscription);
    } else {
      err(
          "not active after %s s%s; GET /api/v1/subscriptions shows its state"
              .formatted(
                  longest.toMillis() / 1_000.0,
                  pending.reason() == null ? "" : ": " + pending.reason()));
    }
    return FAILED;
  }

  private static String until(JsonNode subscription) {
    String until = subscription.path("leaseEndsAt").asText("");
    return until.isEmpty() ? "" : " until " + until;
  }

  /** Whole, however long it is: a part of it would be no JSON. */
  void json(JsonNode node) {
    out.println(JsonLine.of(node.toString()));
    out.flush();
  }

  void out(String line) {
    print(out, line);
  }

  void err(String line) {
    print(err, line);
  }

  private static void print(PrintWriter writer, String line) {
    writer.println(PlainText.of(line));
    writer.flush();
  }
}
