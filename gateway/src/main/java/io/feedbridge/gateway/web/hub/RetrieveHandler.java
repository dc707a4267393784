package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.publish.PastDocument;
import io.feedbridge.gateway.publish.PastEntries;
import io.feedbridge.gateway.publish.UnknownEntryException;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.web.common.Conditional;
import io.feedbridge.gateway.web.common.Credentials;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * {@code hub.mode=retrieve}: the status and past entries of feeds that the caller subscribes to.
 */
final class RetrieveHandler {

  /** Feeds whose entries can be had together. */
  static final int MAX_FEEDS = 100;

  /** Entries, unless another number is asked for. */
  static final int COUNT = 10;

  private static final String JAVASCRIPT = "application/javascript; charset=utf-8";
  private static final String ANYTHING = "application/octet-stream";

  /** A name and nothing that could be script. */
  private static final Pattern FUNCTION = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]{0,63}");

  /** The filter of a query that names no subscriptions. */
  private static final LoginSubscriptions.Filter ALL = LoginSubscriptions.Filter.of(null);

  private final Store store;
  private final PastEntries past;
  private final HubSearch search;
  private final Policies policies;

  RetrieveHandler(Store store, PastEntries past, HubSearch search, Policies policies) {
    this.store = store;
    this.policies = policies;
    this.past = past;
    this.search = search;
  }

  /** How an answer is written. */
  enum Kind {
    ATOM,
    JSON,
    JSONP
  }

  /**
   * A retrieve call, parsed.
   *
   * @param feeds at least one; none in a {@link #form}
   * @param counted whether a number of entries was asked for
   * @param function of JSONP
   * @param filter of the subscriptions that the feeds are of
   */
  record Query(
      List<FollowedFeed> feeds,
      PastEntries.Choice choice,
      boolean counted,
      Kind kind,
      String function,
      LoginSubscriptions.Filter filter) {}

  /**
   * Understands a call.
   *
   * @throws HubRefusal if that is not possible, or nothing of the caller's is meant
   */
  Query query(HubCaller caller, Request request, HubParameters parameters) {
    Optional<Integer> count = parameters.number("count", 1, PastEntries.MAX);
    PastEntries.Choice choice =
        new PastEntries.Choice(
            count.orElse(COUNT), parameters.single("before"), parameters.single("after"));
    String function = function(request, parameters);
    Kind kind = kind(request, parameters, !function.isEmpty());
    HubParameters meant = subscriptions(parameters);
    LoginSubscriptions.Filter filter = filter(caller, meant);
    List<FollowedFeed> feeds = feeds(caller, meant, filter);
    return new Query(feeds, choice, count.isPresent(), kind, function, filter);
  }

  /** The form of an answer about no feed in particular. */
  static Query form(Request request, HubParameters parameters) {
    String function = function(request, parameters);
    PastEntries.Choice none = new PastEntries.Choice(0, Optional.empty(), Optional.empty());
    return new Query(
        List.of(), none, false, kind(request, parameters, !function.isEmpty()), function, ALL);
  }

  private static String function(Request request, HubParameters parameters) {
    Optional<String> name = parameters.single("callback");
    if (name.isEmpty()) {
      return "";
    }
    if (!FUNCTION.matcher(name.get()).matches()) {
      throw HubRefusal.unprocessable(
          "callback must be the plain name of a function: letters, digits, _ and $, 64 at most");
    }
    // A page can embed this with whatever password the browser has in mind.
    boolean another =
        !request.headers().all("Sec-Fetch-Site").stream()
            .allMatch(site -> site.equals("same-origin") || site.equals("none"));
    if (another && !Credentials.areInQuery(request)) {
      throw HubRefusal.unprocessable(
          "with a callback, a page of another site must send authorization in the query");
    }
    return name.get();
  }

  private static Kind kind(Request request, HubParameters parameters, boolean jsonp) {
    Optional<String> format = parameters.oneOf("format", "atom", "json");
    if (jsonp) {
      if (format.filter("atom"::equals).isPresent()) {
        throw HubRefusal.unprocessable("a callback is called with JSON: leave format=atom out");
      }
      return Kind.JSONP;
    }
    boolean json = format.map("json"::equals).orElseGet(() -> HubSubscribers.wantsJson(request));
    return json ? Kind.JSON : Kind.ATOM;
  }

  /** The parameters that choose subscriptions. */
  private static HubParameters subscriptions(HubParameters given) {
    // Superfeedr's Ruby client names a callback with each topic, one that stands for nothing.
    return given.single("hub.topic").isPresent() ? given.without("hub.callback") : given;
  }

  private LoginSubscriptions.Filter filter(HubCaller caller, HubParameters parameters) {
    if (parameters.single("hub.topic").isEmpty() && !HubSearch.isNarrowed(parameters)) {
      throw HubRefusal.unprocessable("hub.topic is missing, or hub.callback, or a search");
    }
    LoginSubscriptions.Filter filter = search.filter(caller, parameters);
    String named = filter.topic();
    if (named != null) {
      policies
          .topicRefusal(named)
          .ifPresent(
              why -> {
                throw HubRefusal.forbidden("hub.topic: " + why);
              });
    }
    return filter;
  }

  /**
   * The feeds of a call: for the operator any followed feeds, for a login the feeds that it
   * subscribes to.
   */
  private List<FollowedFeed> feeds(
      HubCaller caller, HubParameters parameters, LoginSubscriptions.Filter filter) {
    String named = filter.topic();
    List<FollowedFeed> feeds =
        caller.login() == null && !HubSearch.isNarrowed(parameters) && named != null
            ? store.feeds().byTopic(named).filter(FollowedFeed::followed).stream().toList()
            : store.loginSubscriptions().feeds(filter, MAX_FEEDS + 1);
    if (feeds.isEmpty() || isClosed(caller, feeds)) {
      throw notYours();
    }
    if (feeds.size() > MAX_FEEDS) {
      throw HubRefusal.unprocessable(
          "these are more than %d feeds: name fewer".formatted(MAX_FEEDS));
    }
    return feeds;
  }

  private static HubRefusal notYours() {
    return HubRefusal.notFound("there is no subscription of yours to it");
  }

  /**
   * Checks that a caller may read a query's feeds still.
   *
   * @throws HubRefusal if a login's subscription to one of them has ended
   */
  void check(HubCaller caller, Query query) {
    String login = caller.login();
    if (login == null) {
      return;
    }
    LoginSubscriptions subscriptions = store.loginSubscriptions();
    Set<Long> found =
        subscriptions.feeds(query.filter(), MAX_FEEDS + 1).stream()
            .map(FollowedFeed::id)
            .collect(Collectors.toSet());
    for (FollowedFeed feed : query.feeds()) {
      // A feed that has left the search, by its velocity perhaps, may be subscribed to still.
      boolean ended =
          !found.contains(feed.id())
              && subscriptions
                  .feeds(LoginSubscriptions.Filter.of(login).to(feed.topic()), 1)
                  .isEmpty();
      if (ended || store.privateFeeds().contains(feed.topic())) {
        throw notYours();
      }
    }
  }

  /** The entries that are asked for. */
  PastDocument choose(Query query, PastEntries.Choice choice) {
    try {
      return past.choose(query.feeds(), choice);
    } catch (UnknownEntryException e) {
      throw HubRefusal.unprocessable(
          "before and after must be the id of an entry: " + e.getMessage());
    }
  }

  /**
   * The answer to a call that waits for nothing.
   *
   * @throws HubRefusal if a feed has become private meanwhile
   */
  Response answer(HubCaller caller, Request request, Query query) {
    Response answer = answer(request, query);
    if (isClosed(caller, query.feeds())) {
      throw notYours();
    }
    return answer;
  }

  private boolean isClosed(HubCaller caller, List<FollowedFeed> feeds) {
    return caller.login() != null
        && feeds.stream().anyMatch(feed -> store.privateFeeds().contains(feed.topic()));
  }

  private Response answer(Request request, Query query) {
    Optional<Body> content = content(query.feeds());
    if (content.isPresent()) {
      if (query.kind() == Kind.JSONP) {
        throw HubRefusal.unprocessable(
            "the topic is not a feed, so it has no JSON: leave format out");
      }
      return of(request, content.get());
    }
    return answer(request, query, choose(query, query.choice()));
  }

  /** These entries in the format that is asked for. */
  static Response answer(Request request, Query query, PastDocument document) {
    return switch (query.kind()) {
      case ATOM -> tagged(request, PastDocument.ATOM, document.atom());
      case JSON -> tagged(request, PastDocument.JSON, document.json());
      case JSONP -> tagged(request, JAVASCRIPT, call(query.function(), document.json()));
    };
  }

  /**
   * The current document of a topic that was just subscribed to; empty where the bytes of a feed
   * are still to be fetched.
   */
  Optional<Response> current(Request request, FollowedFeed feed, Format format) {
    if (format == Format.RAW) {
      return store.feeds().body(feed.id()).map(bytes -> of(request, bytes));
    }
    List<FollowedFeed> one = List.of(feed);
    Optional<Body> content = content(one);
    if (content.isPresent()) {
      return Optional.of(of(request, content.get()));
    }
    Kind kind = format == Format.JSON ? Kind.JSON : Kind.ATOM;
    PastEntries.Choice newest = new PastEntries.Choice(COUNT, Optional.empty(), Optional.empty());
    Query query = new Query(one, newest, false, kind, "", ALL);
    return Optional.of(answer(request, query, past.choose(one, newest)));
  }

  /** The bytes of a resource that is no feed. */
  private Optional<Body> content(List<FollowedFeed> feeds) {
    return feeds.size() == 1 && feeds.get(0).kind() == FeedKind.CONTENT
        ? store.feeds().body(feeds.get(0).id())
        : Optional.empty();
  }

  private static Response of(Request request, Body body) {
    return tagged(
        request, body.contentType() == null ? ANYTHING : body.contentType(), body.bytes());
  }

  private static byte[] call(String function, byte[] json) {
    // JavaScript of old ends a line at two characters that may stand in JSON as they are.
    String literal =
        new String(json, StandardCharsets.UTF_8)
            .replace("\u2028", "\\u2028")
            .replace("\u2029", "\\u2029");
    return "/**/%s(%s);".formatted(function, literal).getBytes(StandardCharsets.UTF_8);
  }

  /** Sandboxes the answer: content of other authors must not run as a page of the gateway. */
  private static Response tagged(Request request, String contentType, byte[] body) {
    return Conditional.tagged(request, contentType, body)
        .withHeader("Content-Security-Policy", "sandbox; default-src 'none'")
        .withHeader("X-Content-Type-Options", "nosniff")
        .withHeader("Cache-Control", "private, no-cache");
  }
}
