package io.feedbridge.gateway.client.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP proxy, with the user and password for it. Equal ones share connections. Immutable.
 *
 * @param target its host and port; the path means nothing
 * @param authorization the value of {@code Proxy-Authorization}, in ASCII; absent for a proxy
 *     without a password
 */
public record Proxy(Target target, @Nullable String authorization) {

  private static final String TEXT = "((?:[!-~&&[^:@/?#%]]|%[0-9A-Fa-f]{2})*)";
  private static final Pattern FORM =
      Pattern.compile("(?i:http)://(?:" + TEXT + ":" + TEXT + "@)?([^@/?#]+:[0-9]+)");
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

  /**
   * Reads {@code http://host:port} or {@code http://user:password@host:port}, of which user and
   * password are percent-encoded as in a URL; empty for any other text.
   */
  public static Optional<Proxy> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    String user = form.group(1);
    String login = user == null ? null : decoded(user) + ":" + decoded(form.group(2));
    if (login != null && (decoded(user).contains(":") || CONTROL.matcher(login).find())) {
      return Optional.empty();
    }
    try {
      Target target = Target.parse("http://" + form.group(3) + "/");
      return Optional.of(new Proxy(target, login == null ? null : basic(login)));
    } catch (CallException noHost) {
      return Optional.empty();
    }
  }

  private static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), UTF_8);
  }

  private static String basic(String login) {
    return "Basic " + Base64.getEncoder().encodeToString(login.getBytes(UTF_8));
  }

  /** The proxy of requests to a host, for a sentence that names no secret. */
  public static String of(String host) {
    return "the proxy of " + host;
  }

  /** The failure of a call whose proxy answered 407. */
  public static CallException unauthorized(String host) {
    return new CallException(
        CallException.Failure.BROKEN,
        of(host) + " answered with status 407: it does not accept the user and password");
  }

  /** Without any value. */
  @Override
  public String toString() {
    return "Proxy[]";
  }
}
