package io.feedbridge.gateway.web;

import static io.feedbridge.rsscloud.RpcProtocol.SOAP;
import static io.feedbridge.rsscloud.RpcProtocol.XML_RPC;

import io.feedbridge.gateway.check.CheckCallbacks;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.intake.PingOutcomes;
import io.feedbridge.gateway.publish.ListDocuments;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.publish.TestFeed;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.subscribers.CloudRegistrar;
import io.feedbridge.gateway.upstream.UpstreamCallbacks;
import io.feedbridge.gateway.web.api.Api;
import io.feedbridge.gateway.web.cloud.CallbackHandler;
import io.feedbridge.gateway.web.cloud.ChangesHandler;
import io.feedbridge.gateway.web.cloud.CloudHandler;
import io.feedbridge.gateway.web.cloud.IntentHandler;
import io.feedbridge.gateway.web.cloud.PingForms;
import io.feedbridge.gateway.web.cloud.RpcHandler;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.Callers;
import io.feedbridge.gateway.web.common.CompressedBodies;
import io.feedbridge.gateway.web.common.GuardedHandler;
import io.feedbridge.normalizer.Limits;
import io.feedbridge.rsscloud.RpcProtocol;
import java.util.Optional;
import java.util.Set;

/**
 * The paths of the protocols, with their bounds. {@link Api} and {@link StreamPath} have the paths
 * for operators and apps.
 */
public final class ProtocolPaths {

  /** The longest body that a hub may deliver: as long as a fetched one. */
  static final int MAX_DELIVERY = Limits.MAX_BYTES;

  /** The paths of registrations and pings of rssCloud. */
  public static final Set<String> RSSCLOUD =
      Set.of(
          "/pleaseNotify",
          "/rsscloud/pleaseNotify",
          "/ping",
          "/rsscloud/ping",
          "/RPC2",
          "/weblogUpdates",
          "/soap");

  private static final String FORM_TYPE = "application/x-www-form-urlencoded";

  private static final RouteOptions FORM_OR_CALL =
      RouteOptions.body(
          CompressedBodies.MAX_FORM,
          FORM_TYPE,
          CloudHandler.MULTIPART,
          "text/xml",
          "application/xml",
          "application/soap+xml");

  /** Clients send calls under any type, or none. */
  private static final RouteOptions CALL = RouteOptions.anyBody(RpcProtocol.MAX_BYTES);

  private final Optional<Owned> owned;
  private final CloudHandler cloud;
  private final RpcHandler procedures;
  private final PingForms forms;
  private final ChangesHandler changes;
  private final CallbackHandler callbacks;
  private final OperatorHandler operator;
  private final CompressedBodies compressed;
  private final CallerThreads blocking;

  /**
   * The parts that only the node that owns the store has.
   *
   * @param upstream answers hubs and clouds that ask whether the gateway subscribed
   */
  public record Owned(
      CloudRegistrar registrar,
      UpstreamCallbacks upstream,
      CheckCallbacks checks,
      TestFeed testFeed,
      SavedFeeds savedFeeds,
      ListDocuments lists) {}

  /**
   * The paths of a gateway.
   *
   * @param owned absent at a node that does not own the store: it has the routes of pings, signed
   *     contents and lists alone
   * @param blocking where handlers that block run
   */
  public ProtocolPaths(
      Optional<Owned> owned,
      Intake intake,
      PingOutcomes outcomes,
      ChangesHandler changes,
      OperatorHandler operator,
      Callers callers,
      Admission admission,
      CallerThreads blocking) {
    this.owned = owned;
    this.changes = changes;
    this.operator = operator;
    this.blocking = blocking;
    Optional<RpcHandler.Owned> registrations =
        owned.map(parts -> new RpcHandler.Owned(parts.registrar, parts.savedFeeds));
    procedures = new RpcHandler(registrations, intake, callers, admission);
    cloud = new CloudHandler(registrations, intake, outcomes, procedures, callers, admission);
    forms = new PingForms(intake, callers, admission);
    callbacks =
        new CallbackHandler(
            intake, procedures, admission, owned.map(Owned::checks).orElse(CheckCallbacks.NONE));
    compressed = new CompressedBodies(admission);
  }

  /** Adds their routes. */
  public void addTo(Router.Builder routes) {
    Handler ping = GuardedHandler.of(compressed.in(CompressedBodies.MAX_FORM, cloud::ping));
    Handler call =
        GuardedHandler.of(
            compressed.in(RpcProtocol.MAX_BYTES, request -> procedures.call(request, XML_RPC)));
    Handler soap =
        GuardedHandler.of(
            compressed.in(RpcProtocol.MAX_BYTES, request -> procedures.call(request, SOAP)));
    routes
        .route("POST", "/ping", FORM_OR_CALL, ping)
        .route("POST", "/rsscloud/ping", FORM_OR_CALL, ping)
        .route("POST", "/RPC2", CALL, call)
        .route("POST", "/weblogUpdates", CALL, call)
        .route("POST", "/soap", CALL, soap)
        .route("GET", "/ping", GuardedHandler.of(forms::pingSite))
        .route("GET", "/pingSiteForm", GuardedHandler.of(forms::pingSite))
        .route("GET", "/changes.xml", GuardedHandler.of(changes::changes))
        .route("GET", "/shortChanges.xml", GuardedHandler.of(changes::shortChanges))
        .route("GET", "/{year}/{month}/{day}/{hour}.xml", GuardedHandler.of(changes::archive))
        .route("GET", "/pingForm", GuardedHandler.of(forms::pingForm))
        .route("GET", "/pleaseNotifyForm", GuardedHandler.of(forms::pleaseNotifyForm))
        .route(
            "POST",
            "/callback/websub/{id}",
            RouteOptions.anyBody(MAX_DELIVERY),
            GuardedHandler.of(callbacks::delivery))
        .route(
            "POST",
            "/callback/rsscloud/{id}",
            FORM_OR_CALL,
            GuardedHandler.of(callbacks::notification))
        .route("GET", "/metrics", GuardedHandler.of(operator::metrics));
    owned.ifPresent(parts -> addOwned(parts, routes));
  }

  private void addOwned(Owned parts, Router.Builder routes) {
    OwnFeedsHandler own =
        new OwnFeedsHandler(parts.testFeed, parts.savedFeeds, parts.lists, blocking);
    IntentHandler intents = new IntentHandler(parts.upstream, parts.checks);
    Handler register =
        GuardedHandler.of(compressed.in(CompressedBodies.MAX_FORM, cloud::pleaseNotify));
    routes
        .route("POST", "/pleaseNotify", FORM_OR_CALL, register)
        .route("POST", "/rsscloud/pleaseNotify", FORM_OR_CALL, register)
        .route("GET", TestFeed.PATH, GuardedHandler.of(own::testFeed))
        .route("GET", "/files/{user}/rss.xml", GuardedHandler.of(own::savedFeed))
        .route("GET", "/lists/{file}", GuardedHandler.of(own::list))
        .route("GET", "/callback/websub/{id}", GuardedHandler.of(intents::intent))
        .route("GET", "/callback/rsscloud/{id}", GuardedHandler.of(intents::test))
        .route("GET", "/health", GuardedHandler.of(operator::health))
        .route("GET", "/ready", GuardedHandler.of(operator::ready));
  }
}
