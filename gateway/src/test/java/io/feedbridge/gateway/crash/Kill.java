package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.failpoint.Failpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** How a life of the gateway is to end. */
sealed interface Kill {

  /** By itself, when it comes to a failpoint for the time of this number. */
  record At(Failpoint point, int time) implements Kill {
    @Override
    public String toString() {
      return point.label() + ":" + time;
    }
  }

  /** By kill -9, after so many more deliveries or so much time, whichever comes first. */
  record AtRandom(int deliveries, Duration atMost) implements Kill {}

  /** By kill -9, so long after it was launched, ready or not. */
  record AtStart(Duration after) implements Kill {}

  /** What the end of a life is called where no failpoint has brought it. */
  String RANDOM = "kill -9 at random";

  String STARTING = "kill -9 while it starts";
  String STOPPED = "stopped";

  /** About what a start takes. */
  int LONGEST_START_MILLIS = 1_400;

  int LONGEST_LIFE_MILLIS = 1_800;

  /** Those failpoints that the code passes. */
  static Set<Failpoint> planted() {
    Set<Failpoint> planted = EnumSet.noneOf(Failpoint.class);
    try (Stream<Path> files = Files.walk(Mutant.SOURCES)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        String text = Files.readString(file);
        for (Failpoint point : Failpoint.values()) {
          if (text.contains("Failpoint." + point.name() + ".")) {
            planted.add(point);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return planted;
  }

  /** Every failpoint once, and the rest at random, in a random order. */
  static List<Kill> plan(Random random, int kills, Set<Failpoint> points) {
    List<Failpoint> all = List.copyOf(points);
    List<Kill> plan = new ArrayList<>();
    all.forEach(point -> plan.add(new At(point, oftenPassed(point) ? 3 + random.nextInt(30) : 1)));
    while (plan.size() < kills) {
      int dice = random.nextInt(100);
      if (dice < 45) {
        plan.add(
            new AtRandom(
                1 + random.nextInt(500),
                Duration.ofMillis(1 + random.nextInt(LONGEST_LIFE_MILLIS))));
      } else if (dice < 60) {
        plan.add(new AtStart(Duration.ofMillis(1 + random.nextInt(LONGEST_START_MILLIS))));
      } else {
        Failpoint point = all.get(random.nextInt(all.size()));
        plan.add(new At(point, 1 + random.nextInt(mostPassed(point))));
      }
    }
    Collections.shuffle(plan, random);
    return plan;
  }

  /** How often a life may be expected to pass a point; a backup passes its own once. */
  private static int mostPassed(Failpoint point) {
    if (point == Failpoint.MID_BACKUP) {
      return 1;
    }
    return oftenPassed(point) ? 40 : 3;
  }

  private static boolean oftenPassed(Failpoint point) {
    return point == Failpoint.BEFORE_COMMIT || point == Failpoint.AFTER_COMMIT;
  }
}
