package io.feedbridge.gateway.cli.operate;

import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The judgements of {@code feedbridge doctor} over values that were read before. No I/O. */
final class Diagnosis {

  /** A certificate that ends sooner is worth a warning: its renewal is late. */
  static final Duration CERTIFICATE_MARGIN = Duration.ofDays(14);

  /** The difference of two clocks that signatures and leases bear. */
  static final Duration CLOCK_MARGIN = Duration.ofSeconds(30);

  /** The gateway refuses pings at less free space than this, or soon will. */
  static final long LITTLE_SPACE = 256L << 20;

  static final long ENOUGH_SPACE = 2L << 30;

  /** The number of descriptors that the manual names. */
  static final long DESCRIPTORS = 32_768;

  private static final int HTTPS_PORT = 443;
  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;
  private static final Set<Integer> REFUSALS = Set.of(401, 403);
  private static final String SYNCHRONISE =
      "Synchronise the clock (NTP), then restart the gateway.";

  /** In the health of a node that does not own the store. */
  static final String STANDBY = "\"status\":\"standby\"";

  private Diagnosis() {}

  static Finding health(int status, String body) {
    if (status == OK && body.contains(STANDBY)) {
      return Finding.ok("gateway", "The node is well, and waits for the store: " + body);
    }
    if (status == OK && body.contains("\"status\"")) {
      return Finding.ok("gateway", "The gateway is up, and its store takes writes.");
    }
    return status == UNAVAILABLE
        ? Finding.fail(
            "gateway",
            "The gateway runs and is not healthy: " + body,
            "docs/operating.md, \"Trouble\", names the causes.")
        : Finding.fail(
            "gateway",
            "/health answered with status " + status + ".",
            "Let --gateway name the gateway itself.");
  }

  /** Whether the gateway saw the system's clock go back. */
  static Finding clockSetBack(Map<String, Double> meters) {
    double ahead = meters.getOrDefault("feedbridge_clock_ahead_seconds", 0.0);
    return ahead > CLOCK_MARGIN.toSeconds()
        ? Finding.fail(
            "clock",
            "The system's clock was set back by %.0f s; the gateway waits for it.".formatted(ahead),
            SYNCHRONISE)
        : Finding.ok("clock", "The system's clock was not set back.");
  }

  /** The clock of the gateway's machine beside the clocks of the servers that it fetched from. */
  static Finding clockOfOrigins(Map<String, Double> meters) {
    Double ahead = meters.get("feedbridge_clock_origins_seconds");
    if (ahead == null || ahead.isNaN()) {
      return Finding.skipped(
          "clock", "Too few origins have answered to compare the clock with theirs.", "");
    }
    return Math.abs(ahead) > CLOCK_MARGIN.toSeconds()
        ? Finding.fail(
            "clock",
            "The gateway's clock is %.0f s %s the clocks of the origins that it fetches from."
                .formatted(Math.abs(ahead), ahead > 0 ? "ahead of" : "behind"),
            SYNCHRONISE)
        : Finding.ok("clock", "The gateway's clock agrees with the clocks of origins.");
  }

  static Finding descriptors(Map<String, Double> meters) {
    Double allowed = meters.get("process_files_max_files");
    if (allowed == null) {
      return Finding.skipped("descriptors", "The gateway does not tell its limit.", "");
    }
    return allowed < DESCRIPTORS
        ? Finding.warn(
            "descriptors",
            "The gateway may open %,.0f files and sockets.".formatted(allowed),
            "Allow %,d (LimitNOFILE of the unit, or ulimit -n).".formatted(DESCRIPTORS))
        : Finding.ok(
            "descriptors", "The gateway may open %,.0f files and sockets.".formatted(allowed));
  }

  static Finding space(long usable) {
    String text = "The data directory has %,d MiB free.".formatted(usable >> 20);
    if (usable >= ENOUGH_SPACE) {
      return Finding.ok("disk", text);
    }
    String advice = "Free space, or keep events for a shorter time (--retention).";
    return usable < LITTLE_SPACE
        ? Finding.fail("disk", text, advice)
        : Finding.warn("disk", text, advice);
  }

  static Finding names(String host, List<InetAddress> addresses) {
    if (addresses.isEmpty()) {
      return Finding.fail(
          "dns",
          host + " has no address.",
          "Make an A or AAAA record for it, or correct --public-url.");
    }
    boolean inside =
        addresses.stream()
            .anyMatch(
                one ->
                    one.isLoopbackAddress()
                        || one.isSiteLocalAddress()
                        || one.isLinkLocalAddress()
                        || one.isAnyLocalAddress());
    String text =
        host
            + " has the address "
            + String.join(", ", addresses.stream().map(InetAddress::getHostAddress).toList());
    return inside
        ? Finding.warn(
            "dns",
            text + ", which hubs and clouds outside cannot reach.",
            "Let --public-url name a public host, or expect polling in place of push.")
        : Finding.ok("dns", text + ".");
  }

  /** The answer of /health at the public URL. */
  static Finding reachable(URI url, int status, String body) {
    if (status == OK && body.contains("\"status\"")) {
      return Finding.ok("public URL", "A gateway answers at " + url + ".");
    }
    return status / 100 == 3
        ? Finding.fail(
            "public URL",
            url + " redirects with status " + status + ".",
            "Let --public-url be the URL that it redirects to: hubs do not follow redirects.")
        : Finding.fail(
            "public URL",
            "%s/health answered with status %d, which is no healthy gateway."
                .formatted(url, status),
            "Let the proxy pass all paths to the gateway, and /health with them.");
  }

  static Finding encryption(URI url, Optional<Instant> certificateEnds, Instant now) {
    if (certificateEnds.isEmpty()) {
      return Finding.warn(
          "tls",
          url + " is not encrypted: tokens and secrets can be read on the way.",
          "Put a proxy with TLS before it (gateway/deploy), or name --tls-cert.");
    }
    Duration left = Duration.between(now, certificateEnds.get());
    String text = "The certificate is valid until %s.".formatted(certificateEnds.get());
    String advice = "Renew it, and look why its renewal failed.";
    if (left.isNegative()) {
      return Finding.fail("tls", "The certificate ended at " + certificateEnds.get() + ".", advice);
    }
    if (left.compareTo(CERTIFICATE_MARGIN) < 0) {
      return Finding.warn("tls", text, advice);
    }
    if (url.getPort() != -1 && url.getPort() != HTTPS_PORT) {
      return Finding.warn(
          "tls",
          "The clouds and hubs of WordPress call https at port 443 alone, and not at %d."
              .formatted(url.getPort()),
          "Serve --public-url at port 443.");
    }
    return Finding.ok("tls", text);
  }

  static Finding clock(Instant theirs, Instant ours) {
    Duration difference = Duration.between(theirs, ours).abs();
    return difference.compareTo(CLOCK_MARGIN) > 0
        ? Finding.warn(
            "clock",
            "The clocks of this machine and of the gateway differ by %d s."
                .formatted(difference.toSeconds()),
            SYNCHRONISE)
        : Finding.ok("clock", "The clocks of this machine and of the gateway agree.");
  }

  /** The answer to a call of the API through the public URL without a token. */
  static Finding strangers(int status) {
    if (status == OK) {
      return Finding.fail(
          "access",
          "The API answers every caller without a token.",
          "Set --admin-token-file, and let no proxy remove X-Forwarded-For.");
    }
    return REFUSALS.contains(status)
        ? Finding.ok("access", "The API refuses callers without a token.")
        : unclear("access", "/api/v1/feeds", status);
  }

  private static Finding unclear(String check, String path, int status) {
    return Finding.warn(
        check,
        "%s answered a caller without a token with status %d.".formatted(path, status),
        "A gateway answers 403: let the proxy pass the path, or see to the proxy's error.");
  }

  static Finding metrics(int status) {
    if (status == OK) {
      return Finding.warn(
          "metrics",
          "/metrics answers every caller.",
          "Leave out --public-metrics, or let the proxy refuse /metrics.");
    }
    return REFUSALS.contains(status)
        ? Finding.ok("metrics", "/metrics refuses callers without a token.")
        : unclear("metrics", "/metrics", status);
  }

  /** A certificate that this machine does not take, as hubs will not. */
  static Finding refusedCertificate(URI url, Optional<Instant> end, Instant now, String reason) {
    return end.filter(at -> at.isBefore(now)).isPresent()
        ? encryption(url, end, now)
        : Finding.fail(
            "tls",
            "The certificate of %s is not accepted (%s).".formatted(url, reason),
            "Send the whole chain, and let the certificate name the host.");
  }
}
