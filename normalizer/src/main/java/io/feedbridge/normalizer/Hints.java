package io.feedbridge.normalizer;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A document's statements about when to fetch it and how to follow it.
 *
 * @param ttl RSS 2.0 {@code ttl}
 * @param skipHours hours of the day in GMT, 0 to 23, ascending (a 24 is read as 0)
 * @param skipDays days of the week in GMT, ascending
 * @param updatePeriod {@code sy:updatePeriod} divided by {@code sy:updateFrequency}, at least a
 *     second, or the interval of a CDF schedule
 * @param updateBase {@code sy:updateBase}
 * @param hubs WebSub hubs in document order, absolute
 * @param self the canonical URL the document names for itself, absolute
 * @param clouds rssCloud servers in document order
 * @param sourceCloud the full URL to register at of {@code source:cloud}, unchecked; it wins over
 *     the clouds
 */
public record Hints(
    @Nullable Duration ttl,
    List<Integer> skipHours,
    List<DayOfWeek> skipDays,
    @Nullable Duration updatePeriod,
    @Nullable Instant updateBase,
    List<String> hubs,
    @Nullable String self,
    List<Cloud> clouds,
    @Nullable String sourceCloud) {

  /** A document that says nothing. */
  public static final Hints NONE =
      new Hints(null, List.of(), List.of(), null, null, List.of(), null, List.of(), null);

  public Hints {
    skipHours = Present.list(skipHours);
    skipDays = Present.list(skipDays);
    hubs = Present.list(hubs);
    self = Present.text(self);
    clouds = Present.list(clouds);
    sourceCloud = Present.text(sourceCloud);
  }

  /**
   * An rssCloud server as RSS 2.0's {@code cloud} or the source namespace names it, unchecked.
   *
   * @param port null where it is missing or no port number
   */
  public record Cloud(
      String domain,
      @Nullable Integer port,
      String path,
      String registerProcedure,
      String protocol) {

    public Cloud {
      domain = domain == null ? "" : domain;
      path = path == null ? "" : path;
      registerProcedure = registerProcedure == null ? "" : registerProcedure;
      protocol = protocol == null ? "" : protocol;
    }
  }
}
