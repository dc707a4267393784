package io.feedbridge.gateway.ingest.fetch;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The name of the gateway for origins, which count their subscribers by it.
 *
 * @param name of the program
 * @param publicUrl a page about the gateway; absent for a command line
 */
public record UserAgent(String name, String version, @Nullable URI publicUrl) {

  /** The name with the number of the feed's subscribers, if there are any. */
  String speakingFor(long readers) {
    String who =
        readers == 0
            ? ""
            : "; %d %s".formatted(readers, readers == 1 ? "subscriber" : "subscribers");
    return publicUrl == null
        ? name + "/" + version
        : "%s/%s (+%s%s)".formatted(name, version, publicUrl, who);
  }
}
