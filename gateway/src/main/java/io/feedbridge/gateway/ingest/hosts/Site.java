package io.feedbridge.gateway.ingest.hosts;

import crawlercommons.domains.EffectiveTldFinder;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The hosts that one operator answers for: a registrable domain by the public suffix list. The
 * private section of the list counts, so that blogs of one provider which the list separates are
 * sites of their own. An address and a name without a registrable domain are sites by their
 * authority.
 *
 * @param name the domain, in lower case, or the authority
 */
public record Site(String name) {

  /** The longest name that the public suffix list is asked for, in characters. */
  private static final int LONGEST = 253;

  private static final Pattern ADDRESS = Pattern.compile("[\\d.]+|\\[.*");

  /** The site of an origin. */
  public static Site of(Origin origin) {
    String domain = domain(origin.host());
    return new Site(domain == null ? authority(origin) : domain);
  }

  private static @Nullable String domain(String host) {
    if (host.indexOf('.') < 0 || host.length() > LONGEST || ADDRESS.matcher(host).matches()) {
      return null;
    }
    return EffectiveTldFinder.getAssignedDomain(host, true, false);
  }

  /** Host and port, without a user's name. */
  static String authority(Origin origin) {
    return origin.authority().substring(origin.authority().lastIndexOf('@') + 1);
  }
}
