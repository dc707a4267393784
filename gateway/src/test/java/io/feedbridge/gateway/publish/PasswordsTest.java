package io.feedbridge.gateway.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.sql.Users.PasswordHash;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PasswordsTest {

  private final PasswordHash hash = Passwords.hash("correct horse", new Random(1));

  @Test
  void a_password_is_known_by_a_hash_that_takes_memory() {
    assertThat(hash.method()).isEqualTo("argon2id,m=19456,t=2,p=1");
    assertThat(hash.salt()).hasSize(16);
    assertThat(Passwords.matches("correct horse", Optional.of(hash))).isTrue();
  }

  @Test
  void another_password_is_not_the_one() {
    assertThat(Passwords.matches("correct horse ", Optional.of(hash))).isFalse();
    assertThat(Passwords.matches("", Optional.of(hash))).isFalse();
    assertThat(Passwords.matches("x".repeat(1_025), Optional.of(hash))).isFalse();
  }

  @Test
  void of_nobody_no_password_is_the_one() {
    assertThat(Passwords.matches("correct horse", Optional.empty())).isFalse();
  }

  @Test
  void the_same_password_has_another_hash_each_time() {
    assertThat(Passwords.hash("correct horse", new Random(2)).hash()).isNotEqualTo(hash.hash());
  }

  @Test
  void a_method_that_is_unknown_or_asks_for_too_much_is_no_hash() {
    for (String method : new String[] {"md5", "argon2id,m=99999999,t=2,p=1"}) {
      PasswordHash other = new PasswordHash(method, hash.salt(), hash.hash());
      assertThat(Passwords.matches("correct horse", Optional.of(other))).isFalse();
    }
  }
}
