package io.feedbridge.gateway.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.sql.Tokens;
import io.feedbridge.gateway.store.sql.Users;
import io.feedbridge.gateway.store.sql.Users.PasswordHash;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The contract of {@link Users}. */
public abstract class UsersContract extends StoreContract {

  private static PasswordHash hash(String text) {
    return new PasswordHash("m", text.getBytes(UTF_8), (text + "!").getBytes(UTF_8));
  }

  @Test
  void a_user_is_known_by_the_hash_that_was_set_last() {
    assertThat(users().passwordOf("bull")).isEmpty();

    done(users().set("bull", hash("a"), NOW));
    done(users().set("bull", hash("b"), NOW));
    restart();

    PasswordHash known = users().passwordOf("bull").orElseThrow();
    assertThat(known.method()).isEqualTo("m");
    assertThat(known.salt()).asString(UTF_8).isEqualTo("b");
    assertThat(known.hash()).asString(UTF_8).isEqualTo("b!");
    assertThat(users().passwordOf("Bull")).isEmpty();
  }

  @Test
  void users_are_listed_by_login_with_their_password_tokens_and_saved_feed() {
    done(users().set("bull", hash("a"), NOW));
    done(users().save("bull", "one".getBytes(UTF_8), after(Duration.ofHours(1))));
    done(store().tokens().add("ape", new byte[] {1}, EnumSet.of(Right.LIST), NOW));
    done(store().tokens().add("ape", new byte[] {2}, EnumSet.of(Right.LIST), NOW));

    Users.User ape = new Users.User("ape", false, 2, null, NOW);
    Users.User bull = new Users.User("bull", true, 0, after(Duration.ofHours(1)), NOW);
    assertThat(users().list("", 10)).containsExactly(ape, bull);
    assertThat(users().list("", 1)).containsExactly(ape);
    assertThat(users().list("ape", 10)).containsExactly(bull);
  }

  @Test
  void a_user_that_is_removed_leaves_no_password_token_or_feed() {
    done(users().set("bull", hash("a"), NOW));
    done(users().save("bull", "one".getBytes(UTF_8), NOW));
    done(store().tokens().add("bull", new byte[] {1}, EnumSet.of(Right.LIST), NOW));
    done(users().set("cow", hash("b"), NOW));

    assertThat(done(users().remove("bull"))).isTrue();
    assertThat(done(users().remove("bull"))).isFalse();
    restart();

    assertThat(users().passwordOf("bull")).isEmpty();
    assertThat(users().savedBy("bull")).isEmpty();
    assertThat(store().tokens().of("bull")).isEmpty();
    assertThat(users().list("", 10)).extracting(Users.User::login).containsExactly("cow");
  }

  @Test
  void a_user_that_is_made_beside_the_open_store_is_known_at_once() {
    assertThat(accounts().addUser("bull", hash("a"), false, NOW)).isTrue();
    assertThat(accounts().addUser("bull", hash("b"), false, NOW)).isFalse();
    assertThat(users().passwordOf("bull").orElseThrow().salt()).asString(UTF_8).isEqualTo("a");

    assertThat(accounts().addUser("bull", hash("c"), true, NOW)).isTrue();
    assertThat(users().passwordOf("bull").orElseThrow().salt()).asString(UTF_8).isEqualTo("c");
  }

  @Test
  void a_login_has_as_many_tokens_made_beside_the_open_store_as_it_may_have() {
    Set<Right> rights = EnumSet.of(Right.LIST, Right.SAVE);
    for (int i = 0; i < Tokens.MAX_OF_LOGIN; i++) {
      assertThat(accounts().addToken("ape", new byte[] {(byte) i}, rights, NOW)).isPresent();
    }
    assertThat(accounts().addToken("ape", new byte[] {-1}, rights, NOW)).isEmpty();
    assertThat(store().tokens().of("ape")).hasSize(Tokens.MAX_OF_LOGIN);
    assertThat(accounts().addUser("ape", hash("a"), false, NOW)).as("no password yet").isTrue();
  }

  @Test
  void of_users_of_one_name_that_are_made_at_once_one_is_made() {
    for (String login : List.of("ape", "bull", "cow", "dog")) {
      done(store().tokens().add(login, login.getBytes(UTF_8), EnumSet.of(Right.LIST), NOW));
      List<Boolean> made =
          concurrently(
              8,
              i ->
                  CompletableFuture.completedFuture(
                      accounts().addUser(login, hash("p" + i), false, NOW)));
      assertThat(made).as(login).containsOnlyOnce(true);
    }
  }

  @Test
  void a_feed_that_is_saved_takes_the_place_of_the_one_before() {
    done(users().set("bull", hash("a"), NOW));
    assertThat(users().savedBy("bull")).isEmpty();

    done(users().save("bull", "one".getBytes(UTF_8), NOW));
    done(users().save("bull", "two".getBytes(UTF_8), after(Duration.ofHours(1))));
    done(users().set("bull", hash("b"), NOW));
    restart();

    Users.SavedFeed saved = users().savedBy("bull").orElseThrow();
    assertThat(saved.bytes()).asString(UTF_8).isEqualTo("two");
    assertThat(saved.at()).isEqualTo(after(Duration.ofHours(1)));
  }
}
