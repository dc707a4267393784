package io.feedbridge.websub;

import io.feedbridge.websub.discovery.HttpReference;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The meaning of a hub's answer to a {@link SubscriptionForm}. */
public sealed interface HubAnswer {
  /**
   * Reads an answer.
   *
   * @param location the value of the header of that name, null if there was none
   */
  static HubAnswer of(int status, @Nullable String location) {
    if (status >= 200 && status <= 299) {
      return new Accepted();
    }
    // The other redirects would turn the POST into a GET.
    if ((status == 307 || status == 308) && location != null && !location.isBlank()) {
      return new Moved(location.strip());
    }
    return new Refused(status);
  }

  /** The hub verifies the intent next, or (204, PubSubHubbub 0.3) has done so already. */
  record Accepted() implements HubAnswer {}

  /**
   * The form is to be sent again to another URL; the sender must bound the number of such moves.
   */
  record Moved(String location) implements HubAnswer {
    /** The new URL, if it is an http or https URL. */
    public Optional<URI> from(URI hub) {
      return HttpReference.resolve(hub, location);
    }
  }

  /** The hub refuses the request. */
  record Refused(int status) implements HubAnswer {}
}
