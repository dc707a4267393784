package io.feedbridge.gateway.runtime;

import io.feedbridge.gateway.config.LoopbackName;
import io.feedbridge.gateway.config.Settings;
import java.util.ArrayList;
import java.util.List;

/** Settings that are permitted, and that do not work as operators usually expect. */
public final class StartWarnings {

  private StartWarnings() {}

  /** A sentence for each such setting, with the option that changes it. */
  public static List<String> of(Settings settings) {
    List<String> warnings = new ArrayList<>();
    boolean local = LoopbackName.is(settings.publicUrl().getHost());
    if (!local && settings.adminToken().isEmpty()) {
      warnings.add(
          "The public URL leads to other machines and there is no admin token: the API, the log and"
              + " the stream are closed to all callers. Set --admin-token-file");
    }
    if (!local && "http".equals(settings.publicUrl().getScheme())) {
      warnings.add(
          "The public URL has no TLS: other hosts can read secrets and tokens on the way. Put a"
              + " proxy with TLS in front, or set --tls-cert and --tls-key, and an https"
              + " --public-url");
    }
    int port = settings.publicUrl().getPort();
    if (!local && "https".equals(settings.publicUrl().getScheme()) && port != -1 && port != 443) {
      warnings.add(
          "The public URL has https at port %d: the clouds and hubs of WordPress call https at port"
                  .formatted(port)
              + " 443 alone and do not reach this gateway. Serve --public-url at port 443");
    }
    if (!local
        && !settings.listen().getAddress().isLoopbackAddress()
        && "https".equals(settings.publicUrl().getScheme())
        && settings.protection().tls().isEmpty()
        && settings.serving().trustedProxies().isEmpty()) {
      warnings.add(
          "Requests come through a proxy that is not trusted: all callers share its limits. Name its"
              + " network with --trust-proxy");
    }
    if (local && settings.outbound().allowCallback().isEmpty()) {
      warnings.add(
          "Callbacks on this machine are refused. To try subscriptions here, set --allow-callback"
              + " 127.0.0.0/8");
    }
    return warnings;
  }
}
