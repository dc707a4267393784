package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Publishes at each topic, as real publishers do: it repeats a publish until it is answered 2xx,
 * whether the gateway is there or not. After a burst it publishes nothing at that topic until
 * somebody has got the last entry, so that no later publish makes up for one that was lost.
 */
final class Publisher {

  private static final Duration AGAIN = Duration.ofMillis(60);

  /** Entries that a feed shows. */
  private static final int SHOWN = 60;

  private static final int LONGEST_BURST = 3;

  /** Feeds that join lists and leave them. */
  private static final int OTHERS = 5;

  private final Journal journal;
  private final FakeOrigin origin;
  private final FakeHub hub;
  private final FakeCloud cloud;
  private final Forms forms;
  private final String gateway;
  private final ScheduledExecutorService timer;
  private final Executor blocking;
  private final Random random;
  private final Map<Topic, Course> courses = new ConcurrentHashMap<>();

  /**
   * No topics yet.
   *
   * @param gateway its URL
   * @param blocking where the fake hub and cloud wait for their answers
   */
  Publisher(
      Journal journal,
      FakeOrigin origin,
      FakeHub hub,
      FakeCloud cloud,
      Forms forms,
      String gateway,
      ScheduledExecutorService timer,
      Executor blocking,
      long seed) {
    this.journal = journal;
    this.origin = origin;
    this.hub = hub;
    this.cloud = cloud;
    this.forms = forms;
    this.gateway = gateway;
    this.timer = timer;
    this.blocking = blocking;
    random = new Random(seed);
  }

  /** Makes a topic with its first entry, which is no news to anybody. */
  Topic topic(String name, Topic.Way way) {
    String selection =
        switch (way) {
          case PAGE -> "#.news";
          case DATA -> "#$.news";
          case HUB_PING, CLOUD_PING, FAT, NOTIFIED, POLLED, LIST -> "";
        };
    Topic topic = new Topic(name, way, origin.url(Topic.path(name, way)) + selection);
    show(topic, 0);
    courses.put(topic, new Course(topic));
    return topic;
  }

  /** The part of a page that never changes, whatever else in it does. */
  Topic still(Topic page) {
    return new Topic("still", Topic.Way.PAGE, page.document() + "#.still");
  }

  private void show(Topic topic, int newest) {
    String link = "<" + hub.url() + ">; rel=\"hub\"";
    String news = "Title of " + topic.id(newest);
    switch (topic.way()) {
      case PAGE ->
          origin.serve(
              topic.path(),
              "text/html",
              """
              <html><body><p class="still">Still</p><p class="news">%s</p><p>%d visits</p></body></html>
              """
                  .formatted(news, newest),
              link);
      case DATA ->
          origin.serve(
              topic.path(),
              "application/json",
              "{\"news\":\"%s\",\"visits\":%d}".formatted(news, newest),
              link);
      case LIST -> {
        show(topic.member(), newest);
        origin.serve(topic.path(), "text/x-opml", list(topic, newest), link);
      }
      case HUB_PING, CLOUD_PING, FAT, NOTIFIED, POLLED -> {
        String[] shown = new String[Math.min(newest + 1, SHOWN)];
        for (int i = 0; i < shown.length; i++) {
          shown[i] = topic.id(newest - i);
        }
        origin.rss(topic.path(), links(topic.way()), shown);
      }
    }
  }

  /** The feed that stays, and two of some others. */
  private String list(Topic topic, int newest) {
    StringBuilder list = new StringBuilder("<opml version=\"2.0\"><body>");
    list.append(outline(topic.member().url()));
    for (int i = 0; i < 2; i++) {
      String other = "%s-other-%d.xml".formatted(topic.name(), (newest + i) % OTHERS);
      list.append(outline(origin.rss(other, "", "other-0")));
    }
    return list.append("</body></opml>").toString();
  }

  private static String outline(String url) {
    return "<outline text=\"%1$s\" xmlUrl=\"%1$s\"/>".formatted(url);
  }

  /** Publishes bursts at these topics from now on, with a pause of at most this between them. */
  void run(List<Topic> topics, Duration pause) {
    topics.forEach(topic -> course(topic).run(pause));
  }

  /** Publishes one entry; completes with its number once that was answered 2xx. */
  CompletableFuture<Integer> publish(Topic topic) {
    return course(topic).publish();
  }

  /** Begins no more bursts; completes once the last publish was answered 2xx. */
  CompletableFuture<Void> finish() {
    List<CompletableFuture<?>> ends = new ArrayList<>();
    courses.values().forEach(course -> ends.add(course.end()));
    return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
  }

  /** Somebody got something. */
  void arrived(Fact.Arrived arrived) {
    Course course = courses.get(arrived.follower().topic());
    if (course != null) {
      arrived.entries().forEach(course::seen);
    }
  }

  private Course course(Topic topic) {
    Course course = courses.get(topic);
    if (course == null) {
      throw new AssertionError("no such topic: " + topic);
    }
    return course;
  }

  /** A feed that follows push is hardly ever polled, so that no poll makes up for a ping. */
  private String links(Topic.Way way) {
    return switch (way) {
      case HUB_PING, CLOUD_PING, FAT -> "<atom:link rel=\"hub\" href=\"" + hub.url() + "\"/>";
      case NOTIFIED -> cloud.element();
      case POLLED, PAGE, DATA, LIST -> "";
    };
  }

  private CompletableFuture<Boolean> send(Topic topic, int entry) {
    return switch (topic.way()) {
      case HUB_PING, PAGE, DATA ->
          forms
              .send(gateway + "/hub", "hub.mode", "publish", "hub.url", topic.document())
              .thenApply(answer -> answer.statusCode() / 100 == 2);
      case LIST ->
          forms
              .send(gateway + "/hub", "hub.mode", "publish", "hub.url", topic.url())
              .thenCompose(told -> send(topic.member(), entry));
      case CLOUD_PING ->
          forms
              .send(gateway + "/ping", "url", topic.url())
              .thenApply(answer -> answer.statusCode() / 100 == 2);
      case FAT -> {
        String document = FakeOrigin.rssOf(links(topic.way()), topic.id(entry));
        yield CompletableFuture.supplyAsync(
            () -> hub.deliver(topic.url(), "application/rss+xml", document).statusCode() / 100 == 2,
            blocking);
      }
      case NOTIFIED ->
          CompletableFuture.supplyAsync(
              () -> cloud.notify(topic.url()).statusCode() / 100 == 2, blocking);
      case POLLED -> CompletableFuture.completedFuture(true);
    };
  }

  private void later(Runnable step, long millis) {
    var unused = timer.schedule(step, millis, TimeUnit.MILLISECONDS);
  }

  private int below(int bound) {
    synchronized (random) {
      return random.nextInt(bound);
    }
  }

  /** One topic's entries. */
  private final class Course {
    private final Topic topic;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private Duration pause = Duration.ZERO;
    private int newest;
    private int unanswered;
    private int seen;
    private int awaited = Integer.MAX_VALUE;
    private boolean ending;

    Course(Topic topic) {
      this.topic = topic;
    }

    synchronized void run(Duration atMost) {
      pause = atMost;
      burst(1 + below(LONGEST_BURST));
    }

    private synchronized void burst(int left) {
      if (ending) {
        return;
      }
      if (left > 0) {
        var unused = publish().thenAccept(entry -> burst(left - 1));
      } else {
        awaited = newest;
        seen(0);
      }
    }

    synchronized void seen(int entry) {
      seen = Math.max(seen, entry);
      if (seen >= awaited) {
        awaited = Integer.MAX_VALUE;
        later(() -> burst(1 + below(LONGEST_BURST)), below((int) pause.toMillis() + 1));
      }
    }

    CompletableFuture<Integer> publish() {
      CompletableFuture<Integer> answered = new CompletableFuture<>();
      attempt(put(), answered);
      return answered;
    }

    private synchronized int put() {
      newest++;
      unanswered++;
      if (topic.way() != Topic.Way.FAT) {
        show(topic, newest);
      }
      journal.add(new Fact.Put(topic, newest));
      return newest;
    }

    private void attempt(int entry, CompletableFuture<Integer> answered) {
      var unused =
          send(topic, entry)
              .whenComplete(
                  (taken, failure) -> {
                    if (failure == null && taken) {
                      journal.add(new Fact.Promised(topic, entry));
                      answered.complete(entry);
                      answered();
                    } else if (!timer.isShutdown()) {
                      later(() -> attempt(entry, answered), AGAIN.toMillis());
                    }
                  });
    }

    private synchronized void answered() {
      unanswered--;
      if (ending && unanswered == 0) {
        ended.complete(null);
      }
    }

    synchronized CompletableFuture<Void> end() {
      ending = true;
      if (unanswered == 0) {
        ended.complete(null);
      }
      return ended;
    }
  }
}
