package io.feedbridge.gateway.web;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.GuardedHandler;
import io.feedbridge.gateway.web.stream.EventStream;
import io.feedbridge.gateway.web.stream.StreamHandler;

/** {@code /stream} and {@code /firehose}, which show the events of feeds as they come. */
public final class StreamPath {

  private final StreamHandler stream;

  /**
   * The handler of the path.
   *
   * @param blocking where look-ups in the store run
   */
  public StreamPath(EventStream stream, Store store, Settings settings, CallerThreads blocking) {
    this.stream =
        new StreamHandler(
            stream,
            store,
            new BridgedUrls(settings.publicUrl()),
            new AdminAccess(settings.adminToken(), settings.publicUrl()),
            settings.serving().publicStream(),
            blocking);
  }

  /** Adds its route. */
  public Router.Builder addTo(Router.Builder routes) {
    return routes
        .route("GET", "/stream", GuardedHandler.of(stream::stream))
        .route("GET", "/firehose", GuardedHandler.of(stream::firehose));
  }
}
