package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import java.util.List;
import java.util.stream.Stream;

/**
 * The URLs by which a cloud is asked for a feed. A site that moves knows the feed by another one.
 *
 * @param first which is asked for at the next attempt if all of them are refused; empty at a hub
 * @param rest the URLs that were not tried yet
 * @param otherWay whether the feed names another hub or cloud
 */
record TopicNames(String first, List<String> rest, boolean otherWay) {

  /** Read before the request is sent: its answer comes on a thread that must not block. */
  static TopicNames of(UpstreamSubscription following, Store store) {
    List<Transport> ways =
        store.feeds().byId(following.feedId()).stream()
            .flatMap(feed -> Transport.of(feed).stream())
            .toList();
    boolean otherWay = ways.stream().anyMatch(way -> !way.is(following));
    if (following.kind() != UpstreamSubscription.Kind.RSSCLOUD) {
      return new TopicNames("", List.of(), otherWay);
    }
    List<String> rest =
        ways.stream()
            .filter(way -> way.is(following))
            .limit(1)
            .flatMap(way -> Stream.concat(Stream.of(way.topic()), way.otherTopics().stream()))
            .filter(name -> !name.equals(following.topic()))
            .toList();
    return new TopicNames(following.topic(), rest, otherWay);
  }

  TopicNames tail() {
    return new TopicNames(first, rest.subList(1, rest.size()), otherWay);
  }

  /** The upstream subscription under the name by which the next attempt begins. */
  UpstreamSubscription first(UpstreamSubscription requested) {
    return first.isEmpty() ? requested : requested.named(first);
  }
}
