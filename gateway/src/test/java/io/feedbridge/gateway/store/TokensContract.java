package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.sql.Tokens;
import io.feedbridge.gateway.store.sql.Users;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract of {@link Tokens}. */
public abstract class TokensContract extends StoreContract {

  private static final byte[] HASH = {1, 2, 3};

  private Tokens tokens() {
    return store().tokens();
  }

  private Token add(String login, Right... rights) {
    return done(tokens().add(login, HASH, Set.of(rights), NOW)).orElseThrow();
  }

  @Test
  void those_of_a_login_are_found_after_a_restart_with_their_rights() {
    Token first = add("one", Right.LIST);
    add("two", Right.SAVE);
    Token second = add("one", Right.values());

    restart();

    assertThat(tokens().of("one")).extracting(Token::id).containsExactly(first.id(), second.id());
    assertThat(tokens().of("three")).isEmpty();
    assertThat(tokens().of("one").get(1))
        .satisfies(
            one -> {
              assertThat(one.login()).isEqualTo("one");
              assertThat(one.hash()).isEqualTo(HASH);
              assertThat(one.rights()).isEqualTo(EnumSet.allOf(Right.class));
              assertThat(one.createdAt()).isEqualTo(NOW);
            });
  }

  @Test
  void all_are_listed_in_parts_and_one_is_removed_once() {
    Token first = add("one", Right.LIST);
    Token second = add("two", Right.LIST);

    assertThat(tokens().list(0, 1)).extracting(Token::id).containsExactly(first.id());
    assertThat(tokens().list(first.id(), 10)).extracting(Token::id).containsExactly(second.id());
    assertThat(done(tokens().remove(first.id()))).isTrue();
    assertThat(done(tokens().remove(first.id()))).isFalse();
    assertThat(tokens().of("one")).isEmpty();
    assertThat(add("one", Right.LIST).id()).isGreaterThan(second.id());
  }

  @Test
  void a_login_has_a_bounded_number() {
    for (int i = 0; i < Tokens.MAX_OF_LOGIN; i++) {
      add("one", Right.LIST);
    }

    assertThat(done(tokens().add("one", HASH, Set.of(Right.LIST), NOW))).isEmpty();
    add("two", Right.LIST);
  }

  @Test
  void a_login_with_tokens_alone_has_no_password_and_can_save() {
    add("one", Right.SAVE);

    assertThat(users().passwordOf("one")).isEmpty();
    done(users().save("one", new byte[] {4}, NOW));
    assertThat(users().savedBy("one").orElseThrow().bytes()).containsExactly(4);
  }

  @Test
  void a_password_and_tokens_live_beside_each_other() {
    Users.PasswordHash password = new Users.PasswordHash("m", new byte[] {1}, new byte[] {2});
    done(users().set("one", password, NOW));
    add("one", Right.SAVE);

    assertThat(users().passwordOf("one").orElseThrow().method()).isEqualTo("m");
    assertThat(tokens().of("one")).hasSize(1);
  }
}
