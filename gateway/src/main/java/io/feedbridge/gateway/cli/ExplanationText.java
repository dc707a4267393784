package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.cli.remote.PlainText;
import io.feedbridge.gateway.explain.Explanation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An {@link Explanation} as text for human readers. */
final class ExplanationText {

  private static final String LINE = "  %-12s%s";

  private final Instant now;
  private final List<String> lines = new ArrayList<>();

  /** A text as of this time. */
  ExplanationText(Instant now) {
    this.now = now;
  }

  /** The text, some lines. Called once. */
  String of(Explanation what) {
    lines.add(what.url());
    for (Explanation.Redirect redirect : what.redirects()) {
      add(
          "redirect",
          "%d to %s, %s"
              .formatted(
                  redirect.status(),
                  redirect.to(),
                  redirect.permanent()
                      ? "which moves the feed once it is seen twice, an hour apart"
                      : "which does not move the feed"));
    }
    if (!what.followedAt().equals(what.url())) {
      add("leads to", what.followedAt());
    }
    if (what.problem() != null) {
      add("problem", what.code() == null ? what.problem() : what.code() + ": " + what.problem());
      if (what.bytes() > 0) {
        validators(what.validators());
      }
      hints(what.hints());
      heldBack(what);
      return String.join(System.lineSeparator(), lines);
    }
    add("answer", String.format(Locale.ROOT, "%d, %,d bytes", what.code(), what.bytes()));
    add("found", found(what));
    what.repairs().forEach(repair -> add("repaired", repair));
    validators(what.validators());
    hints(what.hints());
    if (what.self() != null) {
      add("self", what.self());
    }
    int rank = 0;
    for (Explanation.Way way : what.ways()) {
      rank++;
      add(rank == 1 ? "ways" : "", rank + ". " + way(way.kind(), way.endpoint()) + demoted(way));
    }
    choice(what.choice());
    heldBack(what);
    return String.join(System.lineSeparator(), lines);
  }

  private void heldBack(Explanation what) {
    if (what.heldBack() != null) {
      add("held back", "until %s: %s".formatted(what.heldBack().until(), what.heldBack().reason()));
    }
  }

  private void add(String name, String text) {
    lines.add(LINE.formatted(name, PlainText.of(text)));
  }

  private static String found(Explanation what) {
    if (what.part() != null) {
      return "%d selected of it, now: %s".formatted(what.part().count(), what.part().text());
    }
    return what.kind().equals("feed")
        ? "a feed, %s, %d %s"
            .formatted(
                what.title() == null ? "without a title" : "\"" + what.title() + "\"",
                what.entries(),
                what.entries() == 1 ? "entry" : "entries")
        : "not a feed: the gateway would follow its bytes";
  }

  private void validators(Explanation.Validators validators) {
    if (validators.etag() != null) {
      add("ETag", validators.etag());
    }
    if (validators.lastModified() != null) {
      add("modified", validators.lastModified());
    }
    if (validators.etag() == null && validators.lastModified() == null) {
      add("validators", "none: each fetch brings the whole document");
    }
  }

  private void hints(Explanation.Hints hints) {
    seconds("ttl", hints.ttlSeconds());
    seconds("fresh for", hints.freshSeconds());
    seconds("retry after", hints.retryAfterSeconds());
    seconds("updated each", hints.cycleSeconds());
    if (!hints.skipHours().isEmpty()) {
      add("skipHours", list(hints.skipHours()) + " (GMT)");
    }
    if (!hints.skipDays().isEmpty()) {
      add("skipDays", list(hints.skipDays()).toLowerCase(Locale.ROOT) + " (GMT)");
    }
  }

  private static String list(List<?> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private void seconds(String name, @Nullable Long seconds) {
    if (seconds != null) {
      add(name, time(Duration.ofSeconds(seconds)));
    }
  }

  private static String time(Duration time) {
    if (time.toHours() > 0) {
      return "%d h %d min".formatted(time.toHours(), time.toMinutesPart());
    }
    return time.toMinutes() > 0 ? time.toMinutes() + " min" : Math.max(0, time.toSeconds()) + " s";
  }

  private static String way(String kind, @Nullable String endpoint) {
    return switch (kind) {
      case "websub" -> "WebSub, hub " + endpoint;
      case "rsscloud" -> "rssCloud, cloud " + endpoint;
      default -> "polling";
    };
  }

  private static String demoted(Explanation.Way way) {
    if (way.demotedUntil() == null) {
      return "";
    }
    String reason = way.reason() == null ? "" : ": " + way.reason();
    return " (not used until " + way.demotedUntil() + reason + ")";
  }

  private void choice(Explanation.@Nullable Choice choice) {
    if (choice == null) {
      return;
    }
    add("choice", way(choice.kind(), choice.endpoint()));
    add("because", choice.reason());
    if (choice.nextPoll() != null) {
      String wait = time(Duration.between(now, choice.nextPoll()));
      add(
          "next poll",
          choice.kind().equals("poll")
              ? "in " + wait + ", then as often as the feed has new entries"
              : "in "
                  + wait
                  + " unless the subscription is confirmed by then; once a day after that");
    }
  }
}
