package io.feedbridge.gateway.runtime;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The stack traces of log lines: a failure that comes again each second has its trace once, and one
 * line after that. Made by {@code logback-text.xml} and {@code logback-json.xml}. Safe for use by
 * several threads.
 */
public final class NewTraces extends ThrowableProxyConverter {

  /** Time after which a trace is logged again. */
  static final Duration REPEATED_AFTER = Duration.ofMinutes(10);

  /** Traces that are known. */
  private static final int MAX_KNOWN = 1_000;

  private final Cache<Integer, Boolean> known =
      Caffeine.newBuilder().maximumSize(MAX_KNOWN).expireAfterWrite(REPEATED_AFTER).build();

  @Override
  protected String throwableProxyToString(IThrowableProxy failure) {
    return known.asMap().putIfAbsent(place(failure), true) == null
        ? super.throwableProxyToString(failure)
        : "%s: %s (its trace is above, less than %d min ago)%n"
            .formatted(failure.getClassName(), failure.getMessage(), REPEATED_AFTER.toMinutes());
  }

  /** Messages differ by the host or the number in them: the class and the frames tell. */
  private static int place(@Nullable IThrowableProxy failure) {
    if (failure == null) {
      return 0;
    }
    StackTraceElementProxy[] frames = failure.getStackTraceElementProxyArray();
    IThrowableProxy cause = failure.getCause();
    return 31 * (31 * failure.getClassName().hashCode() + Arrays.hashCode(frames))
        + (cause == failure ? 0 : place(cause));
  }
}
