package io.feedbridge.gateway.bench;

import java.io.PrintWriter;

/** Shows the progress of the bench on a terminal. */
public final class Progress {

  private static final int BAR = 30;

  private final PrintWriter out;
  private final boolean terminal;
  private final int scenarios;
  private int done;

  /**
   * A progress bar.
   *
   * @param terminal whether the output is a terminal; otherwise nothing is shown
   * @param scenarios the number of scenarios to run
   */
  public Progress(PrintWriter out, boolean terminal, int scenarios) {
    this.out = out;
    this.terminal = terminal;
    this.scenarios = scenarios;
  }

  /** A round begins; the one of number 0 is the warm-up. */
  void show(Scenario scenario, int round, int rounds, String who) {
    double part = (done + round / (rounds + 1.0)) / scenarios;
    int filled = (int) (BAR * part);
    String what = round == 0 ? "warm-up" : "round %d of %d".formatted(round, rounds);
    line(
        "[%s%s] (%s) %s: %s"
            .formatted("#".repeat(filled), " ".repeat(BAR - filled), scenario.letter(), what, who));
  }

  /** Something that takes a while is prepared. */
  void prepares(Scenario scenario, String what) {
    line("(%s) %s".formatted(scenario.letter(), what));
  }

  /** A scenario is over. */
  void ended() {
    done++;
    line("");
  }

  private void line(String text) {
    if (terminal) {
      out.print("\r\u001B[K" + text);
      out.flush();
    }
  }
}
