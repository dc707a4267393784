package io.feedbridge.gateway.ingest;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * How the gateway names itself to origins, which count their readers by it.
 *
 * @param name of the program
 * @param publicUrl where people find out what it is; absent for a command line
 */
public record UserAgent(String name, String version, @Nullable URI publicUrl) {

  /** With the number of those who are told of what is fetched, where there are any. */
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
