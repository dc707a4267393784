package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.ListedFeeds;
import io.feedbridge.gateway.store.sql.Lists;
import io.feedbridge.gateway.store.sql.Lists.Member;
import io.feedbridge.gateway.store.sql.Lists.Unsettled;
import io.feedbridge.gateway.store.sql.lists.ListHolders.Holder;
import io.feedbridge.gateway.store.sql.lists.ListShares;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.Verification;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of {@link Lists}. */
public abstract class ListsContract extends StoreContract {

  private static final String LIST = "https://list.example/friends.opml";
  private static final String OTHER = "https://list.example/more.opml";
  private static final String A = "https://a.example/feed";
  private static final String B = "https://b.example/feed";
  private static final String C = "https://c.example/feed";

  private Lists lists() {
    return store().lists();
  }

  private FollowedFeed list(String topic, String... urls) {
    FollowedFeed list = done(feeds().follow(topic, NOW));
    done(feeds().record(OutcomeBuilder.of(list, NOW).baseline().listing(urls).build()));
    return reread(list);
  }

  private void change(FollowedFeed list, String... urls) {
    done(feeds().record(OutcomeBuilder.of(reread(list), NOW).listing(urls).build()));
  }

  private void keep(String topic) {
    done(feeds().keep(List.of(topic), NOW));
  }

  private void sponsor(FollowedFeed list, String callback, Sponsor by) {
    Verification asked =
        done(
            subscriptions()
                .request(
                    Verification.Mode.SUBSCRIBE, list.topic(), callback, TERMS, null, by, NOW));
    assertThat(done(subscriptions().confirm(asked, NOW))).isTrue();
  }

  /** As the keeper of lists does it, in turns of two; each URL is its topic. */
  private void settle(boolean open) {
    List<Unsettled> lists = lists().unsettled(open);
    while (!lists.isEmpty()) {
      for (Unsettled list : lists) {
        if (done(lists().end(list, 2)) == 0) {
          List<Member> members =
              list.sponsored() ? lists().toBegin(list.listId(), 2) : List.<Member>of();
          Map<String, String> topics = new TreeMap<>();
          members.forEach(member -> topics.put(member.url(), member.url()));
          done(
              members.isEmpty()
                  ? lists().settled(list)
                  : lists().begin(list.listId(), topics, Map.of(), NOW));
        }
      }
      lists = lists().unsettled(open);
    }
  }

  private boolean isFollowed(String topic) {
    return feeds().byTopic(topic).filter(FollowedFeed::followed).isPresent();
  }

  private long id(String topic) {
    return feeds().byTopic(topic).orElseThrow().id();
  }

  private List<Holder> holders(String topic) {
    return lists().holders(List.of(id(topic))).getOrDefault(id(topic), List.of());
  }

  @Test
  void the_feeds_of_a_list_are_followed_that_stand_in_it_now() {
    keep(LIST);
    FollowedFeed list = list(LIST, A, B);
    settle(false);
    assertThat(isFollowed(A)).isTrue();
    assertThat(lists().members(list.id(), 0, 10)).extracting(Member::url).containsExactly(A, B);
    assertThat(lists().members(list.id(), 1, 10)).extracting(Member::url).containsExactly(B);

    change(list, B, C);
    assertThat(lists().urls(list.id())).containsExactlyInAnyOrder(B, C);
    assertThat(holders(A)).isEmpty();
    settle(false);

    assertThat(isFollowed(A)).isFalse();
    assertThat(isFollowed(B)).isTrue();
    assertThat(isFollowed(C)).isTrue();
    assertThat(lists().unsettled(false)).isEmpty();
  }

  @Test
  void a_feed_begins_at_the_end_of_the_log() {
    keep(LIST);
    FollowedFeed list = list(LIST, A);
    keep(B);
    done(feeds().record(OutcomeBuilder.of(feeds().byTopic(B).orElseThrow(), NOW).event(1).build()));
    settle(false);
    assertThat(holders(A)).containsExactly(new Holder(list.id(), store().log().extent().head()));
    long start = store().log().extent().head();
    done(feeds().record(OutcomeBuilder.of(feeds().byTopic(B).orElseThrow(), NOW).event(1).build()));

    change(list, A, B);
    settle(false);

    assertThat(holders(A)).containsExactly(new Holder(list.id(), start));
    assertThat(holders(B)).containsExactly(new Holder(list.id(), start + 1));
  }

  @Test
  void a_feed_that_another_follower_has_is_followed_on() {
    keep(LIST);
    keep(A);
    FollowedFeed list = list(LIST, A, B);
    done(feeds().follow(OTHER, NOW));
    keep(OTHER);
    list(OTHER, B);
    settle(false);

    change(list);
    settle(false);

    assertThat(isFollowed(A)).isTrue();
    assertThat(isFollowed(B)).isTrue();
  }

  @Test
  void a_list_without_a_follower_ends_its_feeds_and_one_that_is_followed_again_begins_them() {
    keep(LIST);
    FollowedFeed list = list(LIST, A);
    settle(false);

    done(store().feedQueries().release(list.id(), NOW));
    settle(false);
    assertThat(isFollowed(LIST)).isFalse();
    assertThat(isFollowed(A)).isFalse();

    keep(LIST);
    change(list, A);
    settle(false);
    assertThat(isFollowed(A)).isTrue();
  }

  @Test
  void a_subscriber_without_a_login_makes_a_list_follow_its_feeds_only_where_all_callers_may() {
    FollowedFeed list = list(LIST, A);
    subscribe(list, "https://reader.example/call");

    settle(false);
    assertThat(feeds().byTopic(A)).isEmpty();
    settle(true);
    assertThat(isFollowed(A)).isTrue();
    settle(false);
    assertThat(isFollowed(A)).isFalse();
  }

  @Test
  void the_feeds_of_an_included_list_count_and_those_of_a_list_within_it_do_not() {
    String deep = "https://list.example/deep.opml";
    keep(LIST);
    FollowedFeed list = list(LIST, A, OTHER);
    settle(false);
    FollowedFeed other = list(OTHER, B, deep, LIST);
    settle(false);
    list(deep, C);
    settle(false);

    assertThat(holders(B)).extracting(Holder::listId).containsExactly(list.id(), other.id());
    assertThat(isFollowed(deep)).isTrue();
    assertThat(feeds().byTopic(C)).isEmpty();

    change(list, A);
    settle(false);
    assertThat(isFollowed(OTHER)).isFalse();
    assertThat(isFollowed(B)).isFalse();
    assertThat(isFollowed(deep)).isFalse();
  }

  @Test
  void a_refused_feed_is_told_with_its_reason_and_considered_again() {
    keep(LIST);
    FollowedFeed list = list(LIST, A);
    done(lists().begin(list.id(), Map.of(), Map.of(A, "no"), NOW));
    settle(false);
    assertThat(lists().members(list.id(), 0, 10)).extracting(Member::refused).containsExactly("no");
    assertThat(lists().toBegin(list.id(), 10)).isEmpty();

    done(lists().reconsider(Map.of()));
    settle(false);
    assertThat(isFollowed(A)).isTrue();

    done(lists().reconsider(Map.of(id(A), "barred")));
    settle(false);
    assertThat(isFollowed(A)).isFalse();
    assertThat(lists().members(list.id(), 0, 10))
        .extracting(Member::refused)
        .containsExactly("barred");
  }

  @Test
  void a_list_that_was_left_long_ago_is_forgotten() {
    keep(LIST);
    FollowedFeed list = list(LIST, A);
    settle(false);
    done(store().feedQueries().release(list.id(), NOW));
    settle(false);

    done(feeds().freeLeft(NOW, NOW, 100));
    done(feeds().freeLeft(NOW, NOW, 100));

    assertThat(lists().members(list.id(), 0, 10)).isEmpty();
  }

  @Test
  void a_subscriber_other_than_the_operator_has_a_share_of_the_feeds_of_lists() {
    List<String> urls =
        IntStream.range(0, ListedFeeds.MAX).mapToObj(i -> "https://f.example/" + i).toList();
    String[] many = urls.toArray(String[]::new);
    FollowedFeed one = list(LIST, many);
    FollowedFeed two = list(OTHER, many);
    FollowedFeed three = list("https://list.example/third.opml", A);
    for (FollowedFeed list : List.of(one, two)) {
      subscribe(list, "https://reader.example/call");
    }
    subscribe(three, "https://reader.example:8443/call");
    FollowedFeed ofAnother = list("https://list.example/fourth.opml", A);
    subscribe(ofAnother, "https://another.example/call");
    Map<String, String> topics = new TreeMap<>();
    urls.forEach(url -> topics.put(url, url));
    for (FollowedFeed list : List.of(one, two)) {
      done(lists().begin(list.id(), topics, Map.of(), NOW));
    }
    for (FollowedFeed list : List.of(three, ofAnother)) {
      done(lists().begin(list.id(), Map.of(A, A), Map.of(), NOW));
    }

    assertThat(lists().summary(one.id()).followed()).isEqualTo(ListedFeeds.MAX);
    assertThat(lists().members(three.id(), 0, 10))
        .extracting(Member::refused)
        .containsExactly(ListShares.TOO_MANY_OF_ONE);
    assertThat(lists().summary(ofAnother.id()).followed()).isEqualTo(1);

    done(lists().end(new Unsettled(two.id(), 1, false), 10));
    assertThat(lists().toBegin(three.id(), 10)).extracting(Member::url).containsExactly(A);
  }

  @Test
  void a_list_within_the_list_of_a_login_counts_for_the_login_whoever_else_follows_it() {
    Sponsor login = new Sponsor("ann", true);
    FollowedFeed outer = list(LIST, OTHER);
    sponsor(outer, "https://ann.example/call", login);
    settle(false);
    FollowedFeed inner = list(OTHER, A);
    subscribe(inner, "https://stranger.example/call");
    settle(false);
    String[] many =
        IntStream.range(0, ListedFeeds.MAX)
            .mapToObj(i -> "https://f.example/" + i)
            .toArray(String[]::new);
    for (String topic : List.of("https://list.example/x.opml", "https://list.example/y.opml")) {
      FollowedFeed further = list(topic, many);
      sponsor(further, "https://ann.example/call", login);
      Map<String, String> topics = new TreeMap<>();
      for (String url : many) {
        topics.put(url, url);
      }
      done(lists().begin(further.id(), topics, Map.of(), NOW));
    }

    change(inner, A, B);
    settle(false);

    assertThat(lists().members(inner.id(), 0, 10))
        .extracting(Member::refused)
        .containsExactly(null, ListShares.TOO_MANY_OF_ONE);
  }

  @Test
  void a_feed_that_is_refused_while_it_is_followed_ends_also_if_its_list_changes_first() {
    keep(LIST);
    FollowedFeed list = list(LIST, A);
    settle(false);
    done(lists().reconsider(Map.of(id(A), "barred")));

    done(
        database()
            .change((handle, effects) -> handle.execute("UPDATE list_member SET title = 'old'")));
    change(list, A);
    settle(false);

    assertThat(isFollowed(A)).isFalse();
  }
}
