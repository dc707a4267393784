package io.feedbridge.gateway.face;

import static io.feedbridge.rsscloud.RpcProtocol.SOAP;
import static io.feedbridge.rsscloud.RpcProtocol.XML_RPC;

import io.feedbridge.gateway.client.Networks;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.downstream.CloudRegistrar;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.publish.TestFeed;
import io.feedbridge.gateway.server.Handler;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.upstream.UpstreamCallbacks;
import io.feedbridge.normalizer.Limits;
import io.feedbridge.rsscloud.RpcProtocol;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The paths of the protocols, with their bounds. Those for operators and apps are of {@link Api}
 * and {@link Onlookers}.
 */
public final class Face {

  /** A form of 100 URLs of the longest kind, percent-encoded, fits. */
  static final int MAX_FORM = 1 << 20;

  /** A delivery may bring what a fetch may bring. */
  static final int MAX_DELIVERY = Limits.MAX_BYTES;

  private static final int UNAVAILABLE = 503;
  private static final String RETRY_AFTER_SECONDS = "5";
  private static final String FORM_TYPE = "application/x-www-form-urlencoded";

  private static final RouteOptions FORM_OR_CALL =
      RouteOptions.body(MAX_FORM, FORM_TYPE, "text/xml", "application/xml", "application/soap+xml");

  /** Clients send calls under any type, or none. */
  private static final RouteOptions CALL = RouteOptions.anyBody(RpcProtocol.MAX_BYTES);

  private static final Logger log = LoggerFactory.getLogger(Face.class);

  private Face() {}

  /**
   * The routes of the gateway.
   *
   * @param blocking where handlers that block run
   */
  public static Router.Builder routes(
      CloudRegistrar registrar,
      Intake intake,
      UpstreamCallbacks upstream,
      Store store,
      TestFeed testFeed,
      SavedFeeds savedFeeds,
      Settings settings,
      Clock clock,
      PrometheusMeterRegistry registry,
      Admission admission,
      Executor blocking) {
    Callers callers = new Callers(Networks.of(settings.serving().trustedProxies()));
    RpcFace procedures = new RpcFace(registrar, intake, savedFeeds, callers, admission, blocking);
    CloudFace cloud = new CloudFace(registrar, intake, procedures, callers, admission);
    PingForms forms = new PingForms(intake, admission);
    OwnFeedsFace ownFeeds = new OwnFeedsFace(testFeed, savedFeeds, blocking);
    ChangesFace changes = new ChangesFace(store.pings(), clock, blocking);
    CallbackFace callbacks = new CallbackFace(upstream, intake, procedures);
    OperatorFace operator = new OperatorFace(store, registry, blocking);
    return Router.builder()
        .route("POST", "/pleaseNotify", FORM_OR_CALL, guarded(cloud::pleaseNotify))
        .route("POST", "/rsscloud/pleaseNotify", FORM_OR_CALL, guarded(cloud::pleaseNotify))
        .route("POST", "/ping", FORM_OR_CALL, guarded(cloud::ping))
        .route("POST", "/rsscloud/ping", FORM_OR_CALL, guarded(cloud::ping))
        .route("POST", "/RPC2", CALL, guarded(request -> procedures.call(request, XML_RPC)))
        .route("POST", "/soap", CALL, guarded(request -> procedures.call(request, SOAP)))
        .route("GET", "/ping", guarded(forms::pingSite))
        .route("GET", "/pingSiteForm", guarded(forms::pingSite))
        .route("GET", TestFeed.PATH, guarded(ownFeeds::testFeed))
        .route("GET", "/files/{user}/rss.xml", guarded(ownFeeds::savedFeed))
        .route("GET", "/changes.xml", guarded(changes::changes))
        .route("GET", "/shortChanges.xml", guarded(changes::shortChanges))
        .route("GET", "/{year}/{month}/{day}/{hour}.xml", guarded(changes::archive))
        .route("GET", "/pingForm", guarded(forms::pingForm))
        .route("GET", "/pleaseNotifyForm", guarded(forms::pleaseNotifyForm))
        .route("GET", "/callback/websub/{id}", guarded(callbacks::intent))
        .route(
            "POST",
            "/callback/websub/{id}",
            RouteOptions.anyBody(MAX_DELIVERY),
            guarded(callbacks::delivery))
        .route("GET", "/callback/rsscloud/{id}", guarded(callbacks::test))
        .route("POST", "/callback/rsscloud/{id}", FORM_OR_CALL, guarded(callbacks::notification))
        .route("GET", "/health", guarded(operator::health))
        .route("GET", "/metrics", guarded(operator::metrics));
  }

  /**
   * Answers 503 where nothing could be written: the caller is to come again, not to believe it
   * done.
   */
  static Handler guarded(Handler handler) {
    return request -> {
      CompletionStage<Response> answer;
      try {
        answer = handler.handle(request);
      } catch (RejectedExecutionException e) {
        return CompletableFuture.completedFuture(unavailable(e));
      }
      return answer.exceptionally(
          failure -> {
            Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
            if (cause instanceof StoreException || cause instanceof RejectedExecutionException) {
              return unavailable(cause);
            }
            throw new CompletionException(cause);
          });
    };
  }

  private static Response unavailable(Throwable cause) {
    // Not with each request of a time in which the disk is full: the log may be on it.
    boolean known = cause instanceof StoreException failure && failure.isKnown();
    log.atLevel(known ? Level.DEBUG : Level.WARN)
        .addKeyValue("reason", cause.getMessage())
        .log("A request was turned away");
    return Response.text(UNAVAILABLE, "the gateway cannot take this now: try again later\n")
        .withHeader("Retry-After", RETRY_AFTER_SECONDS);
  }
}
