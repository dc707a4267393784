package io.feedbridge.gateway.web.console.kit;

import io.feedbridge.gateway.guard.PasswordTries;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.Callers;
import io.feedbridge.gateway.web.common.Credentials;
import io.feedbridge.gateway.web.common.OtherSite;
import io.feedbridge.websub.RandomToken;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Decides which requests of browsers act as the operator: with the cookie of a session, with the
 * admin token as the API takes it, or without a token as the API does. A form counts only with the
 * token of its page, and from a page of the gateway itself. Thread-safe.
 */
public final class Gate {

  static final String COOKIE = "feedbridge_session";

  /** A browser takes a cookie of such a name only with {@code Secure}, for one host. */
  static final String SECURE_COOKIE = "__Host-" + COOKIE;

  private final AdminAccess access;
  private final boolean guarded;
  private final boolean secure;
  private final PasswordTries tries;
  private final Sessions sessions;
  private final String localFormToken;

  /**
   * A gate.
   *
   * @param guarded whether there is an admin token
   * @param publicUrl under https it makes the cookie one for https alone
   * @param random unguessable
   */
  public Gate(
      AdminAccess access,
      boolean guarded,
      URI publicUrl,
      PasswordTries tries,
      RandomGenerator random,
      Clock clock) {
    this.access = access;
    this.guarded = guarded;
    this.tries = tries;
    secure = "https".equals(publicUrl.getScheme());
    sessions = new Sessions(random, clock);
    localFormToken = RandomToken.next(random);
  }

  /**
   * The standing of the sender of a request.
   *
   * @param operator whether it may act as the operator
   * @param formToken that stands in its forms; empty for one that is no operator
   * @param inSession whether it can sign out
   */
  public record Standing(boolean operator, String formToken, boolean inSession) {
    static final Standing STRANGER = new Standing(false, "", false);
  }

  /** The result of showing a token. */
  public sealed interface SignIn {
    /** It was the right one; the cookie is to be set. */
    record Done(String cookie) implements SignIn {}

    /** It was a wrong one. */
    record Wrong() implements SignIn {}

    /** It was a wrong one after too many wrong ones. */
    record TooMany(Refusal refusal) implements SignIn {}
  }

  /** The standing of a request's sender. */
  public Standing standing(Request request) {
    Optional<Session> session = session(request);
    if (session.isPresent()) {
      return new Standing(true, session.get().formToken(), true);
    }
    return access.isOperator(request)
        ? new Standing(true, localFormToken, false)
        : Standing.STRANGER;
  }

  /** Whether an operator could sign in with a token. */
  public boolean isGuarded() {
    return guarded;
  }

  /** The API's answer to a request that does not act as the operator. */
  public Optional<Response> refusal(Request request) {
    return session(request).isPresent() ? Optional.empty() : access.refusal(request);
  }

  /** Whether a form came from a page that this gateway made for the same operator. */
  public boolean isOwnForm(Request request, Standing standing, String formToken) {
    return standing.operator()
        && !OtherSite.caused(request)
        && MessageDigest.isEqual(
            standing.formToken().getBytes(StandardCharsets.UTF_8),
            formToken.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Begins a session for the right token. Wrong tokens count for their caller and its network; they
   * never refuse the right token, which is too long to be guessed.
   *
   * @param caller as limits tell callers apart
   */
  public SignIn signIn(Request request, String caller, String token) {
    if (!access.isOperator(new Credentials("", token.getBytes(StandardCharsets.UTF_8)))) {
      return tries
          .begin(caller, Callers.network(caller))
          .<SignIn>map(SignIn.TooMany::new)
          .orElseGet(SignIn.Wrong::new);
    }
    // A browser that signs in anew has one session still.
    ids(request).forEach(sessions::end);
    return new SignIn.Done(
        cookie(sessions.begin(host(request)).id(), Sessions.LIFETIME.toSeconds()));
  }

  /** Ends the session of a request; returns the cookie that is to be set. */
  public String signOut(Request request) {
    ids(request).forEach(sessions::end);
    return cookie("", 0);
  }

  private String cookie(String value, long seconds) {
    return "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s"
        .formatted(secure ? SECURE_COOKIE : COOKIE, value, seconds, secure ? "; Secure" : "");
  }

  private Optional<Session> session(Request request) {
    String host = host(request);
    return ids(request).stream().flatMap(id -> sessions.find(id, host).stream()).findFirst();
  }

  private List<String> ids(Request request) {
    String prefix = (secure ? SECURE_COOKIE : COOKIE) + "=";
    return request.headers().all("Cookie").stream()
        .flatMap(line -> List.of(line.split(";", -1)).stream())
        .map(String::strip)
        .filter(cookie -> cookie.startsWith(prefix))
        .map(cookie -> cookie.substring(prefix.length()))
        .toList();
  }

  private static String host(Request request) {
    return request.header("Host").orElse("").toLowerCase(Locale.ROOT);
  }
}
