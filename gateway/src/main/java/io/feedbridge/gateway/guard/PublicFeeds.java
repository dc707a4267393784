package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.client.address.Purpose;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The feeds whose entries a caller without any right may be given: a hub subscriber may follow them
 * under the policies, and their URL has neither userinfo nor a parameter that is named like a
 * secret. A secret in another place of a URL cannot be told from a name. Immutable.
 */
public final class PublicFeeds {

  /** The words of a parameter's name that mean a secret. */
  private static final Set<String> SECRETS =
      Set.of(
          "token",
          "key",
          "apikey",
          "auth",
          "authorization",
          "secret",
          "password",
          "passwd",
          "pwd",
          "passphrase",
          "pass",
          "sig",
          "signature",
          "code",
          "session",
          "sessionid",
          "jsessionid",
          "phpsessid",
          "sid",
          "private",
          "credential",
          "credentials",
          "jwt",
          "bearer");

  /** The ends of such words, as in {@code authtoken}. */
  private static final Set<String> ENDS = Set.of("token", "secret", "password", "apikey");

  private static final Pattern USERINFO = Pattern.compile("//[^/?#]*@");
  private static final Pattern BETWEEN_PARAMETERS = Pattern.compile("[?&;/]");
  private static final Pattern BETWEEN_WORDS =
      Pattern.compile("[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])");

  private final Policies policies;

  /** The public feeds under some policies. */
  public PublicFeeds(Policies policies) {
    this.policies = policies;
  }

  /** Whether a feed is public. */
  public boolean contains(String topic) {
    if (!policies.permitTopic(topic)
        || !(policies.isOwn(topic)
            || policies.addresses().refusal(Purpose.FETCH, topic).isEmpty())) {
      return false;
    }
    try {
      // The URL of another feed may be a parameter, and have secrets of its own.
      String decoded = URLDecoder.decode(topic, StandardCharsets.UTF_8);
      return !hasSecret(topic) && !hasSecret(decoded);
    } catch (IllegalArgumentException badEscape) {
      return false;
    }
  }

  private static boolean hasSecret(String url) {
    return USERINFO.matcher(url).find()
        || BETWEEN_PARAMETERS
            .splitAsStream(url)
            .map(parameter -> parameter.split("=", 2))
            .filter(parts -> parts.length > 1)
            .anyMatch(parts -> isSecret(parts[0]));
  }

  private static boolean isSecret(String name) {
    return Stream.concat(Stream.of(name), BETWEEN_WORDS.splitAsStream(name))
        .map(word -> word.toLowerCase(Locale.ROOT))
        .anyMatch(word -> SECRETS.contains(word) || ENDS.stream().anyMatch(word::endsWith));
  }
}
