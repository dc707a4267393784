package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.client.Gate;
import java.util.function.BooleanSupplier;

/**
 * Lets no request go out while another node may own the store (rule L15): that node may be at the
 * same work. Thread-safe.
 *
 * @param owns whether this process owns the store without any doubt; must not block
 * @param next judges the requests of an owner
 */
public record OwnerGate(BooleanSupplier owns, Gate next) implements Gate {

  @Override
  public boolean isOpen() {
    return owns.getAsBoolean() && next.isOpen();
  }

  @Override
  public Verdict judge(Departure departure) {
    return owns.getAsBoolean() ? next.judge(departure) : Verdict.CLOSED;
  }

  @Override
  public void wanted(Departure departure) {
    next.wanted(departure);
  }
}
