package io.feedbridge.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Follows every buffer during a test class, and fails the class if one was dropped without being
 * released.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  private static final int ROUNDS = 3;
  private static final int BUFFERS = 64;

  private final ListAppender<ILoggingEvent> reports = new ListAppender<>();
  private Level before = ResourceLeakDetector.getLevel();

  @Override
  public void beforeAll(ExtensionContext context) {
    before = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(Level.PARANOID);
    reports.start();
    detectorsLog().addAppender(reports);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    // A leak is reported when a buffer is allocated after the leaked one was collected.
    for (int round = 0; round < ROUNDS; round++) {
      System.gc();
      for (int i = 0; i < BUFFERS; i++) {
        assertThat(ByteBufAllocator.DEFAULT.buffer().release()).isTrue();
      }
    }
    detectorsLog().detachAppender(reports);
    ResourceLeakDetector.setLevel(before);
    assertThat(reports.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .noneMatch(m -> m.contains("LEAK"));
  }

  private static Logger detectorsLog() {
    return (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
  }
}
