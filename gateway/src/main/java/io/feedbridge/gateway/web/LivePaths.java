package io.feedbridge.gateway.web;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.Callers;
import io.feedbridge.gateway.web.common.GuardedHandler;
import io.feedbridge.gateway.web.console.LogHandler;
import io.feedbridge.gateway.web.stream.ActivityStream;
import io.feedbridge.gateway.web.stream.EventStream;
import io.feedbridge.gateway.web.stream.StreamHandler;

/** The live paths: {@code /stream} shows the feeds' events, {@code /log} the gateway's activity. */
public final class LivePaths {

  private final LogHandler log;
  private final StreamHandler stream;

  /**
   * The handlers of both paths.
   *
   * @param blocking where look-ups in the store run
   */
  public LivePaths(
      ActivityLog activity,
      ActivityStream activityStream,
      EventStream stream,
      Store store,
      Settings settings,
      CallerThreads blocking) {
    AdminAccess access = new AdminAccess(settings.adminToken(), settings.publicUrl());
    Callers callers = new Callers(Networks.of(settings.serving().trustedProxies()));
    log =
        new LogHandler(
            activity,
            activityStream,
            access,
            callers,
            store.privateFeeds()::contains,
            settings.serving().publicLog());
    this.stream =
        new StreamHandler(
            stream,
            store,
            new BridgedUrls(settings.publicUrl()),
            access,
            settings.serving().publicStream(),
            blocking);
  }

  /** Adds their routes. */
  public Router.Builder addTo(Router.Builder routes) {
    return routes
        .route("GET", "/log", GuardedHandler.of(log::log))
        .route("GET", "/stream", GuardedHandler.of(stream::stream));
  }
}
