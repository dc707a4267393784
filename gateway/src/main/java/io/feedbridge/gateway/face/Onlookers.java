package io.feedbridge.gateway.face;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.stream.ActivityStream;
import io.feedbridge.gateway.stream.EventStream;
import java.util.concurrent.Executor;

/** The paths for whoever looks on: {@code /stream} at the feeds, {@code /log} at the gateway. */
public final class Onlookers {

  private final LogFace log;
  private final StreamFace stream;

  /**
   * Their doors.
   *
   * @param blocking where what they ask of the store is looked up
   */
  public Onlookers(
      ActivityLog activity,
      ActivityStream activityStream,
      EventStream stream,
      Store store,
      Settings settings,
      Executor blocking) {
    AdminAccess access = new AdminAccess(settings.adminToken(), settings.publicUrl());
    log = new LogFace(activity, activityStream, access, settings.serving().publicLog());
    this.stream =
        new StreamFace(
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
        .route("GET", "/log", Face.guarded(log::log))
        .route("GET", "/stream", Face.guarded(stream::stream));
  }
}
