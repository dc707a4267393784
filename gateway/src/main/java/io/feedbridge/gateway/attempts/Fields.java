package io.feedbridge.gateway.attempts;

import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt lies in {@value #COUNT} longs, in memory and in the file. An {@link #ID} of 0
 * means that there is none.
 */
final class Fields {

  static final int COUNT = 8;

  static final int ID = 0;
  static final int SUBSCRIPTION = 1;
  static final int EVENT = 2;

  /** Milliseconds since the epoch. */
  static final int AT = 3;

  /** The bytes of the document in the upper half, the number of the attempt in the lower. */
  static final int SIZE = 4;

  /** Kind, and nothing else so far. */
  static final int KIND = 5;

  /** The outcome's code, the status and the milliseconds it took, of 8, 16 and 32 bits. */
  static final int RESULT = 6;

  /** Over the others; in the file only. */
  static final int CHECK = 7;

  /** The {@link #RESULT} of an attempt under way. */
  static final long UNDER_WAY = 0;

  /** For an unknown number of milliseconds. */
  private static final long UNKNOWN = 0xffff_ffffL;

  private static final int OUTCOME_SHIFT = 48;
  private static final int STATUS_SHIFT = 32;
  private static final int STATUS_MASK = 0xffff;
  private static final int OUTCOME_MASK = 0xff;

  /** An odd number with about as many ones as zeros, by which every bit comes to matter. */
  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  /** The {@link #RESULT} of an attempt that a crash cut off. */
  static final long CUT_OFF = ended(DeliveryOutcome.CUT_OFF, 0, UNKNOWN);

  private static final List<Attempt.Kind> KINDS = List.of(Attempt.Kind.values());
  private static final List<DeliveryOutcome> OUTCOMES = List.of(DeliveryOutcome.values());

  private Fields() {}

  static long ended(DeliveryOutcome outcome, int status, long millis) {
    return (long) code(outcome) << OUTCOME_SHIFT
        | (long) (status & STATUS_MASK) << STATUS_SHIFT
        | Math.min(Math.max(0, millis), UNKNOWN);
  }

  /** Never changed, since files hold it. */
  static long kind(Attempt.Kind kind) {
    return switch (kind) {
      case ROUND -> 1;
      case CATCH_UP -> 2;
      case LOG -> 3;
      case VERIFICATION -> 4;
      case TEST -> 5;
      case RESENT -> 6;
      case DIGEST -> 7;
    };
  }

  private static Optional<Attempt.Kind> kind(long code) {
    for (Attempt.Kind kind : KINDS) {
      if (kind(kind) == code) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  static long size(int bytes, int number) {
    return (long) bytes << Integer.SIZE | number;
  }

  static boolean isDelivered(long result) {
    return result >>> OUTCOME_SHIFT == code(DeliveryOutcome.DELIVERED);
  }

  /** Whether they make an attempt: not so if the file is damaged there. */
  static boolean areSound(long[] words, int at) {
    long result = words[at + RESULT];
    return words[at + ID] > 0
        && words[at + CHECK] == check(words, at)
        && kind(words[at + KIND]).isPresent()
        && (result == UNDER_WAY || outcome(result) != null);
  }

  static long check(long[] words, int at) {
    long check = MIX;
    for (int i = at; i < at + CHECK; i++) {
      check = (check ^ words[i]) * MIX;
      check ^= check >>> Integer.SIZE;
    }
    return check;
  }

  static Attempt attempt(long[] words, int at) {
    long result = words[at + RESULT];
    long millis = result & UNKNOWN;
    long size = words[at + SIZE];
    return new Attempt(
        words[at + ID],
        words[at + SUBSCRIPTION],
        words[at + EVENT],
        (int) size,
        kind(words[at + KIND]).orElse(Attempt.Kind.ROUND),
        Instant.ofEpochMilli(words[at + AT]),
        (int) (size >>> Integer.SIZE),
        outcome(result),
        (int) (result >>> STATUS_SHIFT) & STATUS_MASK,
        result == UNDER_WAY || millis == UNKNOWN ? null : Duration.ofMillis(millis));
  }

  private static @Nullable DeliveryOutcome outcome(long result) {
    long code = result >>> OUTCOME_SHIFT & OUTCOME_MASK;
    for (DeliveryOutcome outcome : OUTCOMES) {
      if (code(outcome) == code) {
        return outcome;
      }
    }
    return null;
  }

  /** Never changed, since files hold it; 0 is an attempt under way. */
  private static int code(DeliveryOutcome outcome) {
    return switch (outcome) {
      case DELIVERED -> 1;
      case REFUSED -> 2;
      case GONE -> 3;
      case TIMEOUT -> 4;
      case UNRESOLVED -> 5;
      case CONNECT -> 6;
      case TLS -> 7;
      case BROKEN -> 8;
      case REDIRECTS -> 9;
      case FORBIDDEN -> 10;
      case SATURATED -> 11;
      case UNMAKEABLE -> 12;
      case CUT_OFF -> 13;
    };
  }
}
