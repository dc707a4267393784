package io.feedbridge.gateway.runtime;

import com.sun.management.UnixOperatingSystemMXBean;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.server.limits.ServerLimits;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps inbound connections from taking every file descriptor that the process may have. */
public final class Descriptors {

  private static final Logger log = LoggerFactory.getLogger(Descriptors.class);

  /** The part of them that is left to the store and to outbound calls. */
  private static final int PART = 2;

  private Descriptors() {}

  /** The limits with no more connections than there are descriptors for. */
  public static ServerLimits within(ServerLimits limits, Settings.Protection protection) {
    int ofOne = protection.connectionsPerAddress();
    if (!(ManagementFactory.getOperatingSystemMXBean()
        instanceof UnixOperatingSystemMXBean system)) {
      return limits.withConnections(limits.connections(), ofOne);
    }
    long room = system.getMaxFileDescriptorCount() / PART;
    if (room < limits.connections()) {
      log.atWarn()
          .addKeyValue("connections", room)
          .addKeyValue("descriptors", system.getMaxFileDescriptorCount())
          .log("There are few file descriptors (ulimit -n): fewer connections are taken at once");
    }
    return limits.withConnections((int) Math.min(room, limits.connections()), ofOne);
  }
}
