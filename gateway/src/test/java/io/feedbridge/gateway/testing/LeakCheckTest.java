package io.feedbridge.gateway.testing;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.junit.jupiter.api.Test;

class LeakCheckTest {

  private final LeakCheck check = new LeakCheck();

  private static ByteBuf buffer() {
    return ByteBufAllocator.DEFAULT.buffer(100).writeInt(1);
  }

  @Test
  void a_buffer_that_is_lost_fails_the_class() {
    check.begin();
    buffer().readInt();
    assertThatThrownBy(check::end).isInstanceOf(AssertionError.class).hasMessageContaining("LEAK");
  }

  @Test
  void a_buffer_that_is_released_does_not() {
    check.begin();
    buffer().release();
    assertThatCode(check::end).doesNotThrowAnyException();
  }
}
