package io.feedbridge.gateway.bench.parts;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Clock;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The processes of the bench. */
public enum Part {
  /** The measured gateway. The command line runs it like any gateway. */
  GATEWAY,
  /** See {@link Sink}. */
  SINK,
  /** See {@link Origin}. */
  ORIGIN,
  /** See {@link Reference}. */
  REFERENCE,
  /** See {@link Pusher}. */
  PUSHER,
  /** See {@link Pinger}. */
  PINGER,
  /** See {@link BareWriter}. */
  WRITER,
  /** See {@link BareReader}. */
  READER,
  /** See {@link IdleGateway}. */
  IDLE;

  /** The name of the part on the command line. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The part of a word. */
  public static Optional<Part> of(String word) {
    return Arrays.stream(values()).filter(part -> part.word().equals(word)).findFirst();
  }

  /**
   * Plays the part until its input ends.
   *
   * @throws IllegalStateException for {@link #GATEWAY}, which the command line runs
   */
  public void play(InputStream in, PrintStream out, Clock clock) throws IOException {
    new Talk(in, out).run(role(clock));
  }

  private Talk.Role role(Clock clock) {
    return switch (this) {
      case SINK -> new Sink(clock);
      case ORIGIN -> new Origin(clock);
      case REFERENCE -> new Reference(clock);
      case PUSHER -> new Pusher(clock);
      case PINGER -> new Pinger(clock);
      case WRITER -> new BareWriter();
      case IDLE -> new IdleGateway();
      case READER -> new BareReader(clock);
      case GATEWAY -> throw new IllegalStateException("the gateway is not asked anything");
    };
  }
}
