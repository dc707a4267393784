package io.feedbridge.gateway.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A feed as its publisher has it.
 *
 * @param number of the site; its topic and the ids of its entries have it
 * @param hub how its hub behaves
 * @param entries when each is published, in order; some of them were there before it is read
 */
record Site(int number, Hub hub, List<Instant> entries) {

  /** Entries in the document. */
  private static final int SHOWN = 20;

  private static final int MORNING = 7;

  /** How a hub behaves. */
  enum Hub {
    NONE,
    GOOD,
    /** After a sixth of the time it accepts everything and delivers nothing. */
    SILENT,
    /** Every fifth delivery is lost. */
    DROPPING,
    /** It grants a third of the time and forgets the subscription after a tenth. */
    FORGETTING;

    String url() {
      return "https://" + name().toLowerCase(java.util.Locale.ROOT) + ".hub.example/";
    }
  }

  /** Of each twenty feeds ten have no hub, six a good one, and four one that fails in some way. */
  static Site any(int number, Instant start, Duration span, Random random) {
    int share = number % 20;
    Hub[] bad = {Hub.SILENT, Hub.DROPPING, Hub.FORGETTING};
    Hub hub =
        share < 10
            ? Hub.NONE
            : share < 16 ? Hub.GOOD : share < 19 ? bad[share - 16] : bad[number / 20 % 3];
    return new Site(number, hub, rhythm(start, span, random));
  }

  /** One that publishes the same at the same time and has no hub. */
  Site withoutHub(int other) {
    return new Site(other, Hub.NONE, entries);
  }

  /** More by day than by night, sometimes two at once. */
  private static List<Instant> rhythm(Instant start, Duration span, Random random) {
    Duration[] gaps = {
      Duration.ofMinutes(40), Duration.ofHours(5), Duration.ofDays(1), Duration.ofDays(5)
    };
    Duration gap = gaps[random.nextInt(gaps.length)];
    List<Instant> times = new ArrayList<>();
    Instant time = start.minus(gap.multipliedBy(SHOWN));
    while (true) {
      time = time.plusSeconds((long) (-Math.log(1 - random.nextDouble()) * gap.toSeconds()));
      if (!time.isBefore(start.plus(span))) {
        return times;
      }
      if (time.isBefore(start) && !time.isBefore(start.minus(Simulation.SETTLING))) {
        continue; // there is no hub yet that could push it
      }
      boolean night = time.atZone(ZoneOffset.UTC).getHour() < MORNING;
      if (!night || random.nextInt(4) == 0) {
        times.add(time);
        if (random.nextInt(10) == 0) {
          times.add(time);
        }
      }
    }
  }

  String topic() {
    return "http://site" + number + ".example/feed.xml";
  }

  String id(int entry) {
    return "site-" + number + "-entry-" + entry;
  }

  /** How many are there by then. */
  int published(Instant now) {
    int from = 0;
    int to = entries.size();
    while (from < to) {
      int middle = (from + to) / 2;
      if (entries.get(middle).isAfter(now)) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }

  /** The document with the newest of so many entries. */
  String document(int published) {
    return document(Math.max(0, published - SHOWN), published);
  }

  /** A document with these entries, the newest first. */
  String document(int from, int to) {
    StringBuilder text = new StringBuilder();
    text.append("<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\"><channel>")
        .append("<title>Site ")
        .append(number)
        .append("</title><link>http://site")
        .append(number)
        .append(".example/</link><description>d</description>");
    if (hub != Hub.NONE) {
      text.append("<atom:link rel=\"self\" href=\"")
          .append(topic())
          .append("\"/><atom:link rel=\"hub\" href=\"")
          .append(hub.url())
          .append("\"/>");
    }
    for (int i = to - 1; i >= from; i--) {
      text.append("<item><guid isPermaLink=\"false\">")
          .append(id(i))
          .append("</guid><title>Entry ")
          .append(i)
          .append("</title><pubDate>")
          .append(
              DateTimeFormatter.RFC_1123_DATE_TIME.format(entries.get(i).atZone(ZoneOffset.UTC)))
          .append("</pubDate></item>");
    }
    return text.append("</channel></rss>").toString();
  }
}
