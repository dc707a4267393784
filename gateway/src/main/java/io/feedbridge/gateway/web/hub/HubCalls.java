package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.delivery.Fanout;
import io.feedbridge.gateway.publish.PastEntries;
import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.NotOwnerException;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.subscribers.HubRequests;
import io.feedbridge.gateway.track.TrackerTopics;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.stream.EventStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** Superfeedr's calls, each for callers that have the right to it. They block. */
public final class HubCalls {

  /** The calls that change no subscription. */
  static final Set<String> READING = Set.of("list", "retrieve", "replay", "authenticate", "search");

  private static final int OK = 200;
  private static final String STREAM = "stream";
  private static final String POLL = "poll";

  private final HubTopics topics;
  private final HubAccess access;
  private final HubSubscribers subscribers;
  private final ListHandler list;
  private final RetrieveHandler retrieve;
  private final WaitHandler wait;
  private final Optional<ReplayHandler> replay;
  private final Optional<SearchHandler> search;

  private HubCalls(
      HubTopics topics,
      HubAccess access,
      HubSubscribers subscribers,
      ListHandler list,
      RetrieveHandler retrieve,
      WaitHandler wait,
      Optional<ReplayHandler> replay,
      Optional<SearchHandler> search) {
    this.topics = topics;
    this.access = access;
    this.subscribers = subscribers;
    this.list = list;
    this.retrieve = retrieve;
    this.wait = wait;
    this.replay = replay;
    this.search = search;
  }

  /**
   * Wires the part.
   *
   * @param admission the limits and policies for requests of strangers
   * @param stream that callers read entries of many feeds from
   * @param owned absent at a node that does not own the store
   * @param blocking where the calls are worked on
   */
  public static HubCalls of(
      HubRequests requests,
      Admission admission,
      Store store,
      AccessTokens tokens,
      EventStream stream,
      Optional<Owned> owned,
      Settings settings,
      CallerThreads blocking) {
    String publicUrl = settings.publicUrl().toString();
    HubTopics topics = new HubTopics(requests, new TrackerTopics(settings.publicUrl()));
    HubSearch search = new HubSearch(requests, topics);
    PastEntries past = new PastEntries(store.feeds(), publicUrl + HubPaths.PATH);
    RetrieveHandler retrieve = new RetrieveHandler(store, past, search, admission.policies());
    HubAccess access =
        new HubAccess(tokens, new AdminAccess(settings.adminToken(), settings.publicUrl()));
    return new HubCalls(
        topics,
        access,
        new HubSubscribers(requests, store, topics, retrieve, admission.policies(), blocking),
        new ListHandler(store.loginSubscriptions(), search),
        retrieve,
        new WaitHandler(stream, store.log(), access, retrieve, admission, blocking),
        owned.map(parts -> new ReplayHandler(parts.fanout, store.loginSubscriptions(), search)),
        owned.map(
            parts ->
                new SearchHandler(
                    parts.search, store.privateFeeds(), blocking, publicUrl + HubPaths.PATH)));
  }

  /** The parts that only the node that owns the store has. */
  public record Owned(Fanout fanout, Search search) {}

  /** Whether this node can do all calls: it owns the store. */
  boolean owns() {
    return replay.isPresent();
  }

  /** The check of topics, which is the same for subscribers without credentials. */
  HubTopics topics() {
    return topics;
  }

  /**
   * Answers a call. The caller's right is checked first, so that other callers learn nothing.
   *
   * @param mode the call, one of {@link #READING} or subscribe or unsubscribe
   * @throws HubRefusal if it is refused
   */
  CompletionStage<Response> answer(String mode, Request request, HubParameters parameters) {
    HubCaller caller = access.caller(request);
    return switch (mode) {
      case "subscribe" -> subscribers.subscribe(caller, request, parameters);
      case "unsubscribe" -> subscribers.unsubscribe(caller, parameters);
      case "list" -> done(list.list(caller.with(Right.LIST), parameters));
      case "replay" ->
          replay
              .orElseThrow(NotOwnerException::new)
              .replay(caller.with(Right.RETRIEVE), parameters);
      case "authenticate" -> done(authenticate(caller, parameters));
      case "search" ->
          search
              .orElseThrow(NotOwnerException::new)
              .search(caller.with(Right.RETRIEVE), request, parameters);
      default -> retrieve(caller.with(Right.RETRIEVE), request, parameters);
    };
  }

  private static CompletionStage<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }

  private CompletionStage<Response> retrieve(
      HubCaller caller, Request request, HubParameters parameters) {
    String waiting = parameters.oneOf("wait", STREAM, POLL).orElse("");
    boolean updates = parameters.flag("updates");
    RetrieveHandler.Query query = retrieve.query(caller, request, parameters);
    if (waiting.isEmpty()) {
      return done(retrieve.answer(caller, request, query));
    }
    if (waiting.equals(POLL)) {
      return wait.poll(request, query);
    }
    if (parameters.single("format").filter("atom"::equals).isPresent()
        || query.kind() == RetrieveHandler.Kind.JSONP) {
      throw HubRefusal.unprocessable("a stream has JSON only: leave format and callback out");
    }
    return done(wait.stream(request, query, updates));
  }

  /** An object with the caller's rights. */
  private record Rights(String login, List<String> rights) {}

  /**
   * Whether the credentials are known; with {@code rights=true} which rights they have, of which
   * one at least must be to these calls, and with names of rights whether they have these.
   */
  private static Response authenticate(HubCaller caller, HubParameters parameters) {
    String asked = parameters.single("rights").orElse(HubParameters.FALSE);
    if (asked.equals(HubParameters.FALSE)) {
      return Response.text(OK, "known\n");
    }
    if (!asked.equals(HubParameters.TRUE)) {
      needed(asked).forEach(caller::with);
    } else if (caller.rights().stream().allMatch(Right.SAVE::equals)) {
      throw HubRefusal.forbidden("this token has no right to any of the hub's calls");
    }
    return Answers.json(
        OK,
        new Rights(
            caller.login() == null ? "" : caller.login(),
            caller.rights().stream().sorted().map(Right::value).toList()));
  }

  private static List<Right> needed(String names) {
    List<Right> needed = new ArrayList<>();
    for (String name : names.split(",", -1)) {
      needed.add(
          Right.of(name.strip())
              .orElseThrow(
                  () ->
                      HubRefusal.unprocessable(
                          "rights must be true, or some of "
                              + Arrays.stream(Right.values())
                                  .map(Right::value)
                                  .collect(Collectors.joining(", ")))));
    }
    return needed;
  }

  /** All modes of the hub, for the refusal of an unknown mode. */
  static String modes() {
    Set<String> modes = new TreeSet<>(READING);
    modes.addAll(List.of("subscribe", "unsubscribe", "publish"));
    return String.join(", ", modes);
  }
}
