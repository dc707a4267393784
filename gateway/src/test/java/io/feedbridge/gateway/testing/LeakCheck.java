package io.feedbridge.gateway.testing;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Tracks every buffer of a test class, and fails the class if one was lost unreleased. */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final ListAppender<ILoggingEvent> leaks = new ListAppender<>();
  private ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (isWhole(context)) {
      begin();
    }
  }

  /** Whether a class begins or ends, and not a class within it: each look costs two collections. */
  private static boolean isWhole(ExtensionContext context) {
    return context.getParent().flatMap(ExtensionContext::getTestClass).isEmpty();
  }

  void begin() {
    before = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    leaks.start();
    logger().addAppender(leaks);
  }

  @Override
  public void afterAll(ExtensionContext context) throws InterruptedException {
    if (isWhole(context)) {
      end();
    }
  }

  void end() throws InterruptedException {
    // References of one collection are enqueued in no order. The end of the second collection is
    // seen after all references of the first one were enqueued.
    awaitCollection();
    awaitCollection();
    // The detector looks for lost buffers when the next one is allocated.
    ByteBufAllocator.DEFAULT.buffer(1).release();
    logger().detachAppender(leaks);
    ResourceLeakDetector.setLevel(before);
    assertThat(leaks.list).extracting(ILoggingEvent::getFormattedMessage).isEmpty();
  }

  /** Leaks are only seen once the lost buffers are collected, as this lost object is. */
  private static void awaitCollection() throws InterruptedException {
    ReferenceQueue<Object> collected = new ReferenceQueue<>();
    PhantomReference<Object> lost = new PhantomReference<>(new Object(), collected);
    System.gc();
    assertThat(collected.remove(PATIENCE.toMillis())).isSameAs(lost);
  }
}
