package io.feedbridge.gateway.activity;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Transition;
import java.util.Locale;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Notes each step of each subscription, in {@link ActivityLog} and in the program's log. Safe for
 * use by several threads.
 */
public final class SubscriptionLog implements Consumer<Transition> {

  private static final Logger log = LoggerFactory.getLogger(SubscriptionLog.class);

  private final ActivityLog activity;

  /** Notes in this log. */
  public SubscriptionLog(ActivityLog activity) {
    this.activity = activity;
  }

  @Override
  public void accept(Transition step) {
    SubscriptionState state = step.state();
    activity.note(
        kind(state),
        step.topic(),
        step.callback(),
        !step.refused() && isWell(state),
        state.name().toLowerCase(Locale.ROOT) + ": " + step.why());
    log.atLevel(level(state))
        .addKeyValue("state", state)
        .addKeyValue("topic", step.topic())
        .addKeyValue("host", CallbackHost.of(step.callback()))
        .addKeyValue("reason", step.why())
        .log(
            step.refused()
                ? "A request about a subscription failed"
                : "The state of a subscription changed");
  }

  private static Kind kind(SubscriptionState state) {
    return state.isKept() ? Kind.SUBSCRIPTION : Kind.DROP;
  }

  private static boolean isWell(SubscriptionState state) {
    return switch (state) {
      case PENDING, ACTIVE, ENDED -> true;
      case WAITING, LAGGING, DENIED, UNCONFIRMED, EXPIRED, FAILED -> false;
    };
  }

  /** Deliveries that fail have lines of their own. */
  private static Level level(SubscriptionState state) {
    return switch (state) {
      case LAGGING -> Level.DEBUG;
      case PENDING, ACTIVE, WAITING, DENIED, UNCONFIRMED, EXPIRED, ENDED -> Level.INFO;
      case FAILED -> Level.WARN;
    };
  }
}
