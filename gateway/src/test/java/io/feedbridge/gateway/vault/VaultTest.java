package io.feedbridge.gateway.vault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VaultTest {

  private final Vault vault = new Vault(new byte[Vault.KEY_BYTES]);

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a secret of some length, ä \u0000"})
  void opens_what_it_sealed_for_the_same_owner(String secret) {
    Sealed sealed = vault.seal(secret, "kind", "name");
    assertThat(vault.openText(Sealed.of(sealed.text()), "kind", "name")).isEqualTo(secret);
    assertThat(sealed.text()).isNotEqualTo(vault.seal(secret, "kind", "name").text());
  }

  @Test
  void shows_nothing_of_what_it_sealed() {
    byte[] sealed = vault.seal("hidden".getBytes(UTF_8), "kind").bytes();
    assertThat(new String(sealed, UTF_8)).doesNotContain("hidden");
  }

  @Test
  void opens_nothing_for_another_owner() {
    Sealed sealed = vault.seal("secret", "kind", "name");
    assertThatThrownBy(() -> vault.open(sealed, "kind", "other"))
        .isInstanceOf(SealedException.class);
    assertThatThrownBy(() -> vault.open(sealed, "kindname")).isInstanceOf(SealedException.class);
  }

  @Test
  void opens_nothing_of_another_key() {
    byte[] key = new byte[Vault.KEY_BYTES];
    key[0] = 1;
    Sealed sealed = new Vault(key).seal("secret", "kind");
    assertThatThrownBy(() -> vault.open(sealed, "kind")).isInstanceOf(SealedException.class);
  }

  @Test
  void opens_nothing_that_is_damaged() {
    byte[] sealed = vault.seal("secret".getBytes(UTF_8), "kind").bytes();
    for (int i = 0; i < sealed.length; i++) {
      byte[] damaged = sealed.clone();
      damaged[i] ^= 1;
      assertThatThrownBy(() -> vault.open(Sealed.of(damaged), "kind"))
          .isInstanceOf(SealedException.class);
      byte[] torn = Arrays.copyOf(sealed, i);
      assertThatThrownBy(() -> vault.open(Sealed.of(torn), "kind"))
          .isInstanceOf(SealedException.class);
    }
    assertThatThrownBy(() -> Sealed.of("no base64!")).isInstanceOf(SealedException.class);
  }
}
