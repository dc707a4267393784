package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.crash.Follower.Kind;
import io.feedbridge.gateway.crash.Follower.Temper;
import io.feedbridge.gateway.crash.Topic.Way;
import io.feedbridge.websub.SignatureMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Who takes part in a long run: topics of every way, and at each of them followers of every kind
 * and temper; and one topic with a crowd.
 */
final class Cast {

  /** Requests that wait for their answer at once. */
  private static final int AT_ONCE = 100;

  private static final long LONGEST_SECONDS = 60;

  /** Pings of a page may bring anything: more than one in a minute are held back after ten. */
  private static final Duration PAUSE_OF_PARTS = Duration.ofSeconds(8);

  private final World world;
  final List<Topic> topics = new ArrayList<>();

  /** Topics that are parts of documents. */
  final List<Topic> parts;

  /** A topic that is a list. */
  private final Topic list;

  final List<Follower> followers = new ArrayList<>();
  final Topic crowded;
  private final Topic relayed;

  /** Names given so far: one that has gone leaves its own to nobody. */
  private int named;

  private int further;

  Cast(World world, int crowd) {
    this.world = world;
    relayed = world.publisher.topic(World.RELAYED, Way.HUB_PING);
    topics.add(relayed);
    topics.add(world.publisher.topic("b", Way.HUB_PING));
    topics.add(world.publisher.topic("c", Way.CLOUD_PING));
    topics.add(world.publisher.topic("f", Way.FAT));
    topics.add(world.publisher.topic("g", Way.FAT));
    topics.add(world.publisher.topic("n", Way.NOTIFIED));
    topics.add(world.publisher.topic("p", Way.POLLED));
    topics.forEach(this::cast);
    Topic page = world.publisher.topic("h", Way.PAGE);
    Topic data = world.publisher.topic("j", Way.DATA);
    parts = List.of(page, data);
    parts.forEach(this::castPart);
    list = world.publisher.topic("l", Way.LIST);
    for (Kind kind : List.of(Kind.ATOM, Kind.JSON, Kind.WEBHOOK, Kind.TEMPLATE_WEBHOOK)) {
      for (Temper temper : List.of(Temper.WELL, Temper.FAILING, Temper.RESETTING)) {
        add(list, kind, temper, kind.isWebhook() ? null : SignatureMethod.SHA256);
      }
    }
    add(list, Kind.SELDOM, Temper.WELL, null);
    add(list, Kind.SELDOM_WEBHOOK, Temper.FAILING, null);
    Topic still = world.publisher.still(page);
    add(still, Kind.RAW, Temper.WELL, null);
    add(still, Kind.LIGHT, Temper.WELL, null);
    crowded = world.publisher.topic("crowd", Way.HUB_PING);
    for (int i = 0; i < crowd; i++) {
      add(crowded, Kind.ATOM, Temper.CROWD, i % 2 == 0 ? SignatureMethod.SHA256 : null);
    }
  }

  private void cast(Topic topic) {
    add(topic, Kind.ATOM, Temper.WELL, null);
    add(topic, Kind.ATOM, Temper.WELL, SignatureMethod.SHA256);
    add(topic, Kind.JSON, Temper.WELL, SignatureMethod.SHA1);
    add(topic, Kind.LIGHT, Temper.WELL, null);
    add(topic, Kind.ATOM, Temper.FAILING, SignatureMethod.SHA384);
    add(topic, Kind.LIGHT, Temper.FAILING, null);
    add(topic, Kind.JSON, Temper.SLOW, null);
    add(topic, Kind.ATOM, Temper.RESETTING, SignatureMethod.SHA256);
    add(topic, Kind.LIGHT, Temper.RESETTING, null);
    add(topic, Kind.ATOM, Temper.HANGING, SignatureMethod.SHA512);
    add(topic, Kind.JSON, Temper.DEAD, SignatureMethod.SHA256);
    add(topic, Kind.ATOM, Temper.LEAVING, null);
    add(topic, Kind.WEBHOOK, Temper.WELL, null);
    add(topic, Kind.WEBHOOK, Temper.FAILING, null);
    add(topic, Kind.WEBHOOK, Temper.RESETTING, null);
    add(topic, Kind.SELDOM, Temper.WELL, SignatureMethod.SHA256);
    add(topic, Kind.SELDOM, Temper.FAILING, null);
    add(topic, Kind.SELDOM_WEBHOOK, Temper.WELL, null);
    add(topic, Kind.SELDOM_WEBHOOK, Temper.RESETTING, null);
    add(topic, Kind.TEMPLATE_WEBHOOK, Temper.WELL, null);
    add(topic, Kind.TEMPLATE_WEBHOOK, Temper.FAILING, null);
    add(topic, Kind.DIGEST, Temper.WELL, SignatureMethod.SHA1);
    add(topic, Kind.DIGEST, Temper.FAILING, null);
    if (topic.way() == Way.HUB_PING || topic.way() == Way.FAT) {
      add(topic, Kind.ROOM_WEBHOOK, topic.way() == Way.FAT ? Temper.RESETTING : Temper.WELL, null);
    }
    if (topic.way() != Way.FAT) {
      // Whose bytes only its origin has, which never has the entries.
      add(topic, Kind.RAW, Temper.WELL, SignatureMethod.SHA512);
      add(topic, Kind.RAW, Temper.FAILING, null);
    }
  }

  private void castPart(Topic part) {
    add(part, Kind.RAW, Temper.WELL, SignatureMethod.SHA256);
    add(part, Kind.RAW, Temper.FAILING, null);
    add(part, Kind.RAW, Temper.HANGING, SignatureMethod.SHA1);
    add(part, Kind.LIGHT, Temper.WELL, null);
    add(part, Kind.LIGHT, Temper.RESETTING, null);
    add(part, Kind.WEBHOOK, Temper.WELL, null);
    add(part, Kind.WEBHOOK, Temper.FAILING, null);
  }

  /** One more follower, who has not subscribed yet. */
  Follower add(Topic topic, Kind kind, Temper temper, @Nullable SignatureMethod method) {
    Follower follower =
        new Follower(
            (kind == Kind.ROOM_WEBHOOK ? Webhooks.ROOM : "") + topic.name() + "." + named++,
            topic,
            kind,
            temper,
            // What a host with webhooks may be sent at a start is told by no subscription.
            world.sinks.host(kind.isWebhook() ? "webhooks " + temper : temper.name()),
            method);
    followers.add(follower);
    return follower;
  }

  /** Has everybody subscribe, and waits until all topics are followed as they ask for. */
  void subscribe() {
    for (int from = 0; from < followers.size(); from += AT_ONCE) {
      List<CompletableFuture<Void>> subscribed =
          followers.subList(from, Math.min(from + AT_ONCE, followers.size())).stream()
              .map(world.registrar::subscribe)
              .toList();
      CompletableFuture.allOf(subscribed.toArray(CompletableFuture<?>[]::new))
          .orTimeout(LONGEST_SECONDS, TimeUnit.SECONDS)
          .join();
    }
    topics.forEach(world::awaitFollowing);
    parts.forEach(world::awaitFollowing);
    world.awaitFollowing(crowded);
    world.awaitFollowing(list);
    world.awaitFollowing(list.member());
    world.journal.add(new Fact.RelayWanted(relayed));
  }

  /** Has all topics but the crowd's published from now on. */
  void publish(Duration pause) {
    world.publisher.run(topics, pause);
    world.publisher.run(List.of(list), pause);
    world.publisher.run(parts, PAUSE_OF_PARTS);
  }

  /** Has a subscription made, renewed or ended. */
  void stir(Random random) {
    switch (random.nextInt(3)) {
      case 0 -> {
        Topic topic = topics.get(random.nextInt(topics.size()));
        Kind kind = List.of(Kind.ATOM, Kind.JSON, Kind.WEBHOOK).get(random.nextInt(3));
        SignatureMethod method = kind.isWebhook() ? null : SignatureMethod.SHA256;
        var unused = world.registrar.subscribe(add(topic, kind, Temper.WELL, method));
      }
      case 1 ->
          followers.stream()
              .filter(one -> one.temper() == Temper.WELL && one.kind().isAtHub())
              .filter(one -> !world.registrar.isBusy(one))
              .skip(random.nextInt(10))
              .findFirst()
              .ifPresent(
                  one -> {
                    followers.remove(one);
                    var unused = world.registrar.unsubscribe(one);
                  });
      default -> {
        further++;
        Topic topic = world.publisher.topic("x" + further, Topic.Way.HUB_PING);
        var unused =
            world
                .registrar
                .subscribe(add(topic, Kind.ATOM, Temper.WELL, SignatureMethod.SHA256))
                .thenCompose(done -> world.publisher.publish(topic));
      }
    }
  }
}
