package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.server.limits.ServerLimits;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;

/** The server's bounds, some of them smaller than usual. */
public final class ServerBounds {

  private ServerBounds() {}

  public static ServerLimits times(
      Duration keepAlive, Duration head, Duration body, Duration handler) {
    return with(
        Map.of("keepAlive", keepAlive, "headTime", head, "bodyTime", body, "handlerTime", handler));
  }

  public static ServerLimits linger(Duration time, int bytes) {
    return with(Map.of("lingerTime", time, "lingerBytes", bytes));
  }

  public static ServerLimits sending(int unsent, Duration time) {
    return with(Map.of("unsent", unsent, "sendTime", time));
  }

  public static ServerLimits requests(long bytes) {
    return with(Map.of("requests", bytes));
  }

  public static ServerLimits responses(long bytes) {
    return with(Map.of("responses", bytes));
  }

  private static ServerLimits with(Map<String, Object> others) {
    RecordComponent[] parts = ServerLimits.class.getRecordComponents();
    Object[] values = new Object[parts.length];
    try {
      for (int i = 0; i < parts.length; i++) {
        Object usual = parts[i].getAccessor().invoke(ServerLimits.DEFAULT);
        values[i] = others.getOrDefault(parts[i].getName(), usual);
      }
      return ServerLimits.class
          .getConstructor(
              Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new))
          .newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a bound was not found", e);
    }
  }
}
