package io.feedbridge.gateway.server.limits;

import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The memory that all requests being read or answered take together. If it is full, the connections
 * of requests that are still being read are closed, the oldest first, so that a slow and large
 * request is cut off before another one is refused. Thread-safe; no method takes long.
 */
public final class RequestRoom {
  private final long most;
  private final Map<Channel, Long> beingRead = new LinkedHashMap<>();
  private final Map<Channel, Long> beingAnswered = new HashMap<>();
  private long taken;

  public RequestRoom(long most) {
    this.most = most;
  }

  /**
   * A connection's request has grown by so many bytes.
   *
   * @return whether there is room for them; if not, the request must be given up
   */
  public boolean take(Channel channel, long bytes) {
    List<Channel> givingWay = new ArrayList<>();
    boolean fits;
    synchronized (this) {
      if (!channel.isActive()) {
        return false;
      }
      beingRead.merge(channel, bytes, Long::sum);
      taken += bytes;
      Iterator<Map.Entry<Channel, Long>> oldest = beingRead.entrySet().iterator();
      while (taken > most && oldest.hasNext()) {
        Map.Entry<Channel, Long> next = oldest.next();
        if (next.getKey() != channel) {
          oldest.remove();
          taken -= next.getValue();
          givingWay.add(next.getKey());
        }
      }
      fits = taken <= most;
      if (!fits) {
        free(channel);
      }
    }
    for (Channel other : givingWay) {
      var unused = other.close();
    }
    return fits;
  }

  /** A connection's request is whole, and is waited for no more. */
  public synchronized void read(Channel channel) {
    Long bytes = beingRead.remove(channel);
    if (bytes != null) {
      beingAnswered.merge(channel, bytes, Long::sum);
    }
  }

  /** A connection's request is over, or the connection is. */
  public synchronized void free(Channel channel) {
    Long read = beingRead.remove(channel);
    Long answered = beingAnswered.remove(channel);
    taken -= (read == null ? 0 : read) + (answered == null ? 0 : answered);
  }

  public synchronized long taken() {
    return taken;
  }
}
