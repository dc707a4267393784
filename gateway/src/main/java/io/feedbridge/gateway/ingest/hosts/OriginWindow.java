package io.feedbridge.gateway.ingest.hosts;

import java.time.Duration;

/**
 * How many fetches one host gets at once: additive increase while it answers promptly and well,
 * multiplicative decrease on errors, refusals and slowness. Not thread-safe; its gate guards it.
 */
public final class OriginWindow {

  /** Fetches at once from a host that is not known. */
  static final int FIRST = 2;

  /** Fetches at once from a host that takes them well. */
  static final int MOST = 16;

  /** An answer within this time is prompt. */
  static final Duration PROMPT = Duration.ofSeconds(1);

  /** A fetch that takes longer counts as one without an answer. */
  static final Duration SLOW = Duration.ofSeconds(5);

  /** Prompt answers in a row after which a host that was slow counts as prompt again. */
  static final int PROVEN_AFTER = 4;

  private double size = FIRST;
  private double threshold = MOST;
  private Standing standing = Standing.UNPROVEN;
  private boolean wasSlow;
  private int promptInRow;
  private Duration took = Duration.ZERO;

  /** The expectation of a host's answers, the best first. */
  public enum Standing {
    PROMPT,
    /** The host has not answered promptly of late, or never yet. */
    UNPROVEN,
    /** The host lets fetches wait for long, or does not answer. */
    SLOW
  }

  /** How a fetch ended. */
  public enum Ending {
    /** The host answered, whatever the answer says of the document. */
    ANSWERED,
    /** The host answered with a long document: more of these at once serve neither side. */
    LONG,
    /** The host says that it is overloaded or broken: 429 or 5xx. */
    REFUSED,
    /** No answer came. */
    SILENT,
    /** The gateway itself is the reason; nothing is learnt about the host. */
    OWN
  }

  int size() {
    return (int) size;
  }

  Standing standing() {
    return standing;
  }

  /** The usual time of one fetch. */
  Duration took() {
    return took;
  }

  /**
   * A fetch ended.
   *
   * @param full whether as many fetches as the window allows were under way
   */
  void ended(Ending ending, Duration time, boolean full) {
    switch (ending) {
      case OWN -> {
        return;
      }
      case SILENT -> slow();
      case REFUSED -> {
        promptInRow = 0;
        shrink();
      }
      case ANSWERED -> answered(time, full);
      case LONG -> answered(time, false);
    }
    took = took.plus(time).dividedBy(2);
  }

  private void answered(Duration time, boolean full) {
    if (time.compareTo(SLOW) > 0) {
      slow();
    } else if (time.compareTo(PROMPT) > 0) {
      overdue();
    } else {
      promptInRow++;
      boolean proven = !wasSlow || promptInRow >= PROVEN_AFTER;
      standing = proven ? Standing.PROMPT : Standing.UNPROVEN;
      if (full) {
        size = Math.min(MOST, size < threshold ? size + 1 : size + 1 / size);
      }
    }
  }

  /** A fetch takes longer than a prompt one. */
  void overdue() {
    promptInRow = 0;
    standing = standing == Standing.PROMPT ? Standing.UNPROVEN : standing;
  }

  /** A fetch takes too long, or no answer came. */
  void slow() {
    promptInRow = 0;
    wasSlow = true;
    standing = Standing.SLOW;
    shrink();
  }

  private void shrink() {
    size = Math.max(1, size / 2);
    threshold = Math.max(FIRST, size);
  }
}
