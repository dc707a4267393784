package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.guard.PasswordTries;
import io.feedbridge.gateway.guard.PasswordTries.Standing;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.store.sql.Users;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Checks passwords. A check costs 100 ms and 19 MiB (Argon2), and each waiting request holds its
 * feed in memory, so that few wait: callers that gave wrong passwords lately have the smallest
 * share of the places, callers known to the account can have all of them. Safe for use by several
 * threads.
 */
public final class PasswordChecks {

  /** Checks that wait or run at once. */
  public static final int MAX_AT_ONCE = 16;

  /** The part of {@link #MAX_AT_ONCE} for callers that are not known to the account. */
  static final int MAX_UNKNOWN = 12;

  /** The part of {@link #MAX_AT_ONCE} for callers that gave wrong passwords lately. */
  static final int MAX_SUSPECT = 4;

  /** The most checks of one caller that wait or run at once. */
  static final int MAX_OF_ONE = 2;

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Users users;
  private final PasswordTries tries;
  private final Executor slow;

  private final Permits<String, Void> ofCaller = new Permits<>(Permits.Bounds.perKey(MAX_OF_ONE));

  // Guarded by this.

  private int all;
  private int unknown;
  private int suspect;

  /**
   * Wires the part.
   *
   * @param slow with room for {@link #MAX_AT_ONCE} tasks: few threads
   */
  public PasswordChecks(Users users, PasswordTries tries, Executor slow) {
    this.users = users;
    this.tries = tries;
    this.slow = slow;
  }

  /** The result of a check. */
  sealed interface Outcome {
    /** Whether it is the password of the account. */
    record Checked(boolean right) implements Outcome {}

    /** It was not checked: the caller tried too often. */
    record TooMany(Refusal refusal) implements Outcome {}
  }

  /**
   * Checks a password.
   *
   * @param caller empty for one without limits
   * @throws RejectedExecutionException if there is no place for a caller of this standing
   */
  CompletableFuture<Outcome> check(Optional<String> caller, String login, String password) {
    Standing standing = caller.map(one -> tries.standing(one, login)).orElse(Standing.KNOWN);
    if (caller.isPresent()) {
      Optional<Refusal> refusal = tries.begin(caller.get(), login);
      if (refusal.isPresent()) {
        return CompletableFuture.completedFuture(new Outcome.TooMany(refusal.get()));
      }
      if (!ofCaller.tryTake(caller.get())) {
        return CompletableFuture.completedFuture(
            new Outcome.TooMany(
                new Refusal(
                    "too many passwords of one caller at once: try again in %d s"
                        .formatted(PAUSE.toSeconds()),
                    PAUSE)));
      }
    }
    if (!enter(standing)) {
      caller.ifPresent(ofCaller::giveBack);
      throw new RejectedExecutionException("too many passwords wait to be checked");
    }
    return run(login, password)
        .whenComplete(
            (right, failure) -> {
              leave(standing);
              caller.ifPresent(ofCaller::giveBack);
              if (failure == null && right) {
                caller.ifPresent(one -> tries.right(one, login));
              }
            })
        .thenApply(Outcome.Checked::new);
  }

  private CompletableFuture<Boolean> run(String login, String password) {
    try {
      return CompletableFuture.supplyAsync(
          () ->
              Passwords.matches(
                  password, SavedFeeds.isLogin(login) ? users.passwordOf(login) : Optional.empty()),
          slow);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private synchronized boolean enter(Standing standing) {
    boolean room =
        all < MAX_AT_ONCE
            && (standing == Standing.KNOWN || unknown < MAX_UNKNOWN)
            && (standing != Standing.SUSPECT || suspect < MAX_SUSPECT);
    if (room) {
      count(standing, 1);
    }
    return room;
  }

  private synchronized void leave(Standing standing) {
    count(standing, -1);
  }

  private void count(Standing standing, int one) {
    all += one;
    unknown += standing == Standing.KNOWN ? 0 : one;
    suspect += standing == Standing.SUSPECT ? one : 0;
  }
}
