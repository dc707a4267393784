package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.store.sql.Store;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of {@link Store#key}. */
public abstract class KeyContract extends StoreContract {

  private static byte[] key(int number) {
    return new byte[] {1, 2, (byte) number};
  }

  @Test
  void the_first_key_is_kept() {
    assertThat(done(store().key(() -> key(1)))).isEqualTo(key(1));
    assertThat(done(store().key(() -> key(2)))).isEqualTo(key(1));
  }

  @Test
  void it_is_not_made_where_there_is_one() {
    done(store().key(() -> key(1)));
    done(
        store()
            .key(
                () -> {
                  throw new AssertionError("made again");
                }));
  }

  @Test
  void it_is_the_same_after_a_restart() {
    done(store().key(() -> key(1)));
    restart();
    assertThat(done(store().key(() -> key(2)))).isEqualTo(key(1));
  }

  @Test
  void many_at_once_get_the_same() {
    List<byte[]> keys = concurrently(20, number -> store().key(() -> key(number)));
    assertThat(keys).allSatisfy(key -> assertThat(key).isEqualTo(keys.get(0)));
  }

  @Test
  void one_that_cannot_be_made_is_told_and_none_is_kept() {
    StoreException refused = new StoreException("there is none");
    assertThatThrownBy(
            () ->
                done(
                    store()
                        .key(
                            () -> {
                              throw refused;
                            })))
        .isSameAs(refused);
    assertThat(done(store().key(() -> key(1)))).isEqualTo(key(1));
  }

  @Test
  void a_store_that_works_takes_writes() {
    done(store().key(() -> key(1)));
    assertThat(store().health()).isEqualTo(StoreHealth.WRITABLE);
  }
}
