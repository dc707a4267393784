package io.feedbridge.gateway.config;

import io.feedbridge.gateway.guard.Rate;
import java.util.List;
import java.util.stream.Stream;

/** The options of {@code serve} for limits of callers, a part of {@link Options}. */
public final class LimitOptions {

  private static final Stream.Builder<Option<?>> TABLE = Stream.builder();

  private static final Kind<Rate> RATE = Kind.rate();

  public static final Option<Rate> LIMIT_PINGS =
      option(
          RATE, "--limit-pings=600/m", "How many pings one caller may send, counted for each URL.");
  public static final Option<Rate> LIMIT_FEED_PINGS =
      option(RATE, "--limit-feed-pings=60/m", "How many of these pings may be for one feed.");
  public static final Option<Rate> LIMIT_SUBSCRIPTIONS =
      option(
          RATE,
          "--limit-subscriptions=10000/h",
          "How many subscriptions one caller may ask for, renew or end.");
  public static final Option<Rate> LIMIT_CALLBACKS =
      option(
          RATE,
          "--limit-callbacks=20000/h",
          "How many subscription requests one host of callbacks gets, from all callers together.");
  public static final Option<Rate> LIMIT_FEEDS =
      option(
          RATE, "--limit-feeds=2000/d", "How many feeds one caller may add to the followed ones.");
  public static final Option<Rate> LIMIT_UNASKED =
      option(
          RATE,
          "--limit-unasked=250/h",
          "How many unconfirmed requests one host gets (verifications, tests of handlers,"
              + " registrations at hubs and clouds), and how many first fetches that find no feed."
              + " A request that the host confirms does not count. This limit holds for all callers"
              + " together.");
  public static final Option<Rate> LIMIT_PASSWORDS =
      option(
          RATE,
          "--limit-passwords=10/m",
          "How many wrong passwords one caller may give. Right ones do not count, and tokens are"
              + " checked apart from passwords.");
  public static final Option<List<String>> LIMIT_EXEMPT =
      option(
          Kind.networks(),
          "--limit-exempt",
          "Networks of callers without limits. No limit holds for requests with the admin token,"
              + " and for this machine where it may use the API without a token.");

  static final List<Option<?>> ALL = TABLE.build().toList();

  private LimitOptions() {}

  private static <T> Option<T> option(Kind<T> kind, String line, String text) {
    Option<T> option = Option.of(Option.Section.LIMITS, kind, line, text);
    TABLE.add(option);
    return option;
  }
}
