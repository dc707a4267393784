package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.Publisher;
import io.feedbridge.gateway.store.sql.feeds.Publishers;
import org.junit.jupiter.api.Test;

/** The contract of {@link Publishers}. */
public abstract class PublishersContract extends StoreContract {

  private static final String ONE = "https://one.example/";
  private static final String TWO = "https://two.example/";

  private Publishers publishers() {
    return store().publishers();
  }

  private Publisher add(String topic, String secret) {
    return done(publishers().add(topic, secret, NOW));
  }

  @Test
  void those_of_a_topic_are_found_after_a_restart() {
    Publisher first = add(ONE, "first");
    add(TWO, "other");
    Publisher second = add(ONE, "second");

    restart();

    assertThat(publishers().of(ONE)).containsExactly(first, second);
    assertThat(publishers().of("https://three.example/")).isEmpty();
    assertThat(first)
        .satisfies(
            one -> {
              assertThat(one.topic()).isEqualTo(ONE);
              assertThat(one.secret()).isEqualTo("first");
              assertThat(one.createdAt()).isEqualTo(NOW);
            });
  }

  @Test
  void all_are_listed_in_parts() {
    Publisher first = add(ONE, "first");
    Publisher second = add(TWO, "second");

    assertThat(publishers().list(0, 1)).containsExactly(first);
    assertThat(publishers().list(first.id(), 10)).containsExactly(second);
  }

  @Test
  void one_is_removed_once() {
    Publisher first = add(ONE, "first");

    assertThat(done(publishers().remove(first.id()))).isTrue();
    assertThat(done(publishers().remove(first.id()))).isFalse();
    assertThat(publishers().of(ONE)).isEmpty();
    assertThat(add(ONE, "again").id()).isGreaterThan(first.id());
  }

  @Test
  void a_secret_is_in_no_text() {
    assertThat(add(ONE, "hush").toString()).doesNotContain("hush");
  }
}
