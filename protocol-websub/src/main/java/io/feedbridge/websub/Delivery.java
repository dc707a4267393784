package io.feedbridge.websub;

import io.feedbridge.websub.discovery.Link;
import io.feedbridge.websub.discovery.LinkHeader;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The headers of a content distribution request (WebSub §7) and of its answer. */
public final class Delivery {
  /** The name of the header that {@link #link} makes. */
  public static final String LINK = "Link";

  /** The name of the header that {@link Signature#sign} makes. */
  public static final String SIGNATURE = "X-Hub-Signature";

  /** The name of the header of a subscriber's answer that {@link #onBehalfOf} reads (0.3 §7.3). */
  public static final String ON_BEHALF_OF = "X-Hub-On-Behalf-Of";

  private static final int MAX_DIGITS = 9;

  private Delivery() {}

  /**
   * The one value that names both the hub and the canonical topic. Publishers announce their hub
   * with the same value (WebSub §4).
   */
  public static String link(String hub, String topic) {
    return LinkHeader.format(List.of(Link.of(hub, "hub"), Link.of(topic, "self")));
  }

  /**
   * The number of users that a subscriber stands for, by its own account; below one thousand
   * million.
   */
  public static OptionalInt onBehalfOf(@Nullable String headerValue) {
    String digits = headerValue == null ? "" : headerValue.strip();
    boolean number =
        !digits.isEmpty()
            && digits.length() <= MAX_DIGITS
            && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    return number ? OptionalInt.of(Integer.parseInt(digits)) : OptionalInt.empty();
  }
}
