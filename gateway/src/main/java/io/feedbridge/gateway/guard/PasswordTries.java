package io.feedbridge.gateway.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Counts wrong passwords, per caller and per account. A right password costs nothing. The limit of
 * an account refuses only callers that gave wrong passwords lately and are not known to the
 * account: strangers that try passwords must not lock out the owner, at a new address or after a
 * restart either. Thread-safe; forgets with a restart.
 */
public final class PasswordTries {

  /**
   * Passwords for one account by callers that are not known to it. Beyond the rate only callers
   * without a recent wrong password may try.
   */
  static final Rate ACCOUNT = new Rate(100, Duration.ofHours(1));

  /** How long a caller is known to an account after the right password. */
  private static final Duration KNOWN_FOR = Duration.ofDays(30);

  private final Buckets callers;
  private final Buckets accounts;
  private final Cache<String, Boolean> known;

  /** The gateway's knowledge of a caller; later values mean less trust. */
  public enum Standing {
    /** It gave the right password of this account before. */
    KNOWN,
    /** It gave no wrong password lately. */
    NEW,
    /** It gave wrong ones lately. */
    SUSPECT
  }

  /**
   * A counter.
   *
   * @param wrong passwords of one caller
   */
  public PasswordTries(Rate wrong, Clock clock) {
    callers = new Buckets(wrong, clock);
    accounts = new Buckets(wrong.isNone() ? Rate.NONE : ACCOUNT, clock);
    known =
        Caffeine.newBuilder()
            .maximumSize(Buckets.MAX_KEYS)
            .expireAfterWrite(KNOWN_FOR)
            .ticker(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos())
            .build();
  }

  /** The standing of a caller before it tries. */
  public Standing standing(String caller, String account) {
    if (isKnown(caller, account)) {
      return Standing.KNOWN;
    }
    return callers.isFull(caller) ? Standing.NEW : Standing.SUSPECT;
  }

  /** A caller tries a password, which counts until {@link #right} says otherwise. */
  public Optional<Refusal> begin(String caller, String account) {
    boolean failed = standing(caller, account) == Standing.SUSPECT;
    Optional<Refusal> refusal =
        callers
            .take(caller, 1)
            .map(wait -> Refusal.of("wrong passwords of one caller", callers.rate(), wait));
    if (refusal.isPresent() || isKnown(caller, account)) {
      return refusal;
    }
    if (!failed) {
      accounts.charge(account, 1);
      return Optional.empty();
    }
    return accounts
        .take(account, 1)
        .map(wait -> Refusal.of("wrong passwords for one user", accounts.rate(), wait));
  }

  /** It was the right one. */
  public void right(String caller, String account) {
    callers.giveBack(caller);
    if (!isKnown(caller, account)) {
      accounts.giveBack(account);
    }
    known.put(key(caller, account), true);
  }

  private boolean isKnown(String caller, String account) {
    return known.getIfPresent(key(caller, account)) != null;
  }

  private static String key(String caller, String account) {
    return caller + " " + account;
  }
}
