package io.feedbridge.gateway.ingest.fetch;

import io.feedbridge.gateway.client.Brotli;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.RetryAfter;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.Hop;
import io.feedbridge.gateway.guard.KnownHubs;
import io.feedbridge.gateway.ingest.hosts.RateLimit;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.store.Barrier;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.normalizer.Limits;
import io.feedbridge.normalizer.Served;
import io.feedbridge.websub.TopicUrl;
import io.feedbridge.websub.discovery.Discovered;
import io.feedbridge.websub.discovery.Discovery;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fetches topics, conditionally where it can. The fetched bytes have a bound, for all callers
 * together. Safe for use by several threads; never blocks on the network.
 */
public final class Fetcher {

  /** The time limit of one document, from looking up the name to the last byte. */
  static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** The most bytes of a document, after decompression. */
  public static final int MAX_BODY = Limits.MAX_BYTES;

  /** Characters of an {@code ETag}; servers refuse requests whose fields are much longer. */
  static final int MAX_VALIDATOR = 2_048;

  private static final int OK = 200;
  private static final int NOT_MODIFIED = 304;
  private static final int GONE = 410;
  private static final int MOVED_PERMANENTLY = 301;

  /** The characters that a field may hold (RFC 9110 §5.5). */
  private static final Pattern SENDABLE = Pattern.compile("[\\t -~\\x80-\\xFF]*");

  private static final Pattern HTML =
      Pattern.compile("^\\s*(?:text/html|application/xhtml\\+xml)\\b", Pattern.CASE_INSENSITIVE);

  private final Sender client;
  private final LocalTopics own;
  private final UserAgent userAgent;
  private final KnownHubs hubs;
  private final Clock clock;
  private final Executor readers;
  private final DocumentMemory documents = new DocumentMemory();
  private final Brotli brotli = new Brotli();
  private final OriginClocks clocks = new OriginClocks();

  /**
   * A fetcher.
   *
   * @param own the topics that are read within the process
   * @param hubs a known hub of a topic counts as a link header of its origin
   * @param readers the executor that looks into documents, which takes time
   */
  public Fetcher(
      Sender client,
      LocalTopics own,
      UserAgent userAgent,
      KnownHubs hubs,
      Clock clock,
      Executor readers) {
    this.client = client;
    this.hubs = hubs;
    this.own = own;
    this.userAgent = userAgent;
    // Dates in answers are compared with it.
    this.clock = SteadyClock.systemOf(clock);
    this.readers = readers;
  }

  /** {@link OriginClocks#secondsAhead}. */
  public double secondsAhead() {
    return clocks.secondsAhead();
  }

  /** The bound on documents that are fetched and not yet digested. */
  public DocumentMemory documents() {
    return documents;
  }

  /**
   * One fetch. Blocks only on storage.
   *
   * @param credentials sent to the origin of the feed's topic alone, where its URL may no longer be
   * @param readers the number of subscribers of the feed
   * @param whole whether unchanged bytes are wanted too
   * @param held of {@link #documents}, which the caller lets go of
   * @param journey of this fetch alone; asks the sites to which the feed leads
   * @return never completes exceptionally; may complete on an event loop
   */
  public CompletableFuture<FetchResult> fetch(
      FollowedFeed feed,
      Optional<FeedCredentials> credentials,
      long readers,
      boolean whole,
      DocumentMemory.Held held,
      Journey journey) {
    Optional<LocalTopics.Document> document = own.find(feed.url());
    if (document.isPresent()) {
      return CompletableFuture.completedFuture(read(feed, document.get()));
    }
    Validators validators = whole ? Validators.NONE : feed.validators();
    return ask(
        feed,
        new Question(
            feed.url(),
            validators,
            readers,
            List.of(),
            List.of(),
            false,
            credentials.map(given -> Question.credentials(feed, given)).orElse(null),
            held,
            journey));
  }

  private static FetchResult read(FollowedFeed feed, LocalTopics.Document document) {
    return new FetchResult.Fresh(
        OK,
        document.bytes(),
        new Served(Urls.base(feed.url(), feed.topic()), document.contentType(), null, null),
        FetchResult.Way.straight(feed.url(), Duration.ZERO),
        List.of(),
        null,
        null);
  }

  private CompletableFuture<FetchResult> ask(FollowedFeed feed, Question question) {
    Call call;
    try {
      call = question.call(userAgent, !feed.hasBaseline());
    } catch (IllegalArgumentException e) {
      // A validator that an earlier version kept, say.
      return CompletableFuture.completedFuture(failed(question, e, Duration.ZERO));
    }
    long start = System.nanoTime();
    return client
        .send(call)
        .thenComposeAsync(
            reply -> read(feed, question, reply, Duration.ofNanos(System.nanoTime() - start)),
            readers)
        .exceptionally(
            failure -> failed(question, failure, Duration.ofNanos(System.nanoTime() - start)));
  }

  private static FetchResult failed(Question question, Throwable failure, Duration took) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof CallException broken) {
      return switch (broken.failure()) {
        case CLOSED -> new FetchResult.CutOff();
        case NO_ROOM -> new FetchResult.NoRoom(message);
        case TOO_OFTEN -> new FetchResult.TooOften(message);
        case HELD_BACK -> question.journey().heldBack().orElseThrow();
        default ->
            new FetchResult.Failed(
                null,
                message,
                Optional.empty(),
                question.endingAfter(broken.hops(), took),
                barrier(broken));
      };
    }
    return new FetchResult.Failed(
        null, message, Optional.empty(), question.endingAfter(List.of(), took));
  }

  private static Barrier.@Nullable Kind barrier(CallException broken) {
    if (broken.isNameUnknown()) {
      return Barrier.Kind.NAME;
    }
    return switch (broken.failure()) {
      case BAD_URL, ADDRESS_REFUSED -> Barrier.Kind.RULE;
      default -> null;
    };
  }

  private CompletableFuture<FetchResult> read(
      FollowedFeed feed, Question question, Reply answer, Duration took) {
    clocks.saw(CallbackHost.of(answer.finalUrl()), answer.headers(), clock.instant());
    Reply reply;
    try {
      reply =
          Brotli.isIn(answer)
              ? answer.withBody(brotli.undo(answer, MAX_BODY, question.held()))
              : answer;
    } catch (CallException e) {
      return CompletableFuture.failedFuture(e.after(answer.hops()));
    }
    try {
      if (reply.successful()) {
        Optional<XmlRedirect> redirect = XmlRedirect.in(reply.body(), reply.finalUrl());
        if (redirect.isPresent()) {
          return follow(feed, question, reply, redirect.get(), took);
        }
        Optional<String> leadsTo = leadsTo(feed, question, reply);
        if (leadsTo.isPresent()) {
          return goOn(feed, question.leadingTo(leadsTo.get(), reply.hops()));
        }
      }
    } catch (CallException toNoUrl) {
      return CompletableFuture.failedFuture(toNoUrl.after(reply.hops()));
    }
    return CompletableFuture.completedFuture(result(feed, question, reply, took));
  }

  /**
   * A page that is followed for the first time, has no hub of its own and names feeds leads to the
   * first of its feeds (rule S2).
   */
  private static Optional<String> leadsTo(FollowedFeed feed, Question question, Reply reply) {
    if (feed.kind() != FeedKind.UNKNOWN
        || question.isDiscovered()
        || TopicUrl.selection(feed.topic()).isPresent()) {
      return Optional.empty();
    }
    String type = reply.headers().first("Content-Type").orElse(null);
    if (type == null || !HTML.matcher(type).find()) {
      return Optional.empty();
    }
    Discovered found =
        Discovery.discover(
            Urls.base(reply.finalUrl(), feed.topic()),
            reply.headers().all("Link"),
            type,
            reply.body());
    return found.hubs().isEmpty()
        ? found.alternates().stream().findFirst().map(alternate -> alternate.url().toString())
        : Optional.empty();
  }

  /** A redirect that a document makes is like a 301; one to nowhere like a 410. */
  private CompletableFuture<FetchResult> follow(
      FollowedFeed feed, Question question, Reply reply, XmlRedirect redirect, Duration took)
      throws CallException {
    if (redirect.location().isEmpty()) {
      return CompletableFuture.completedFuture(
          new FetchResult.Gone(
              reply.status(), "its document says that it is gone", way(question, reply, took)));
    }
    Hop moved = new Hop(MOVED_PERMANENTLY, reply.finalUrl(), redirect.location().get());
    Question next = question.at(moved, reply.hops());
    return next.hops().size() > Call.MAX_REDIRECTS
        ? CompletableFuture.completedFuture(
            new FetchResult.Failed(
                reply.status(),
                "more than %d redirects in a row".formatted(Call.MAX_REDIRECTS),
                Optional.empty(),
                way(question, reply, took)))
        : goOn(feed, next);
  }

  /** Asks where a document leads, if its site takes the request now. */
  private CompletableFuture<FetchResult> goOn(FollowedFeed feed, Question next) {
    return next.journey().goesTo(next.url())
        ? ask(feed, next)
        : CompletableFuture.completedFuture(next.journey().heldBack().orElseThrow());
  }

  private List<String> links(Reply reply) {
    String url = reply.finalUrl();
    return Stream.concat(
            hubs.of(url).stream()
                .flatMap(
                    hub ->
                        Stream.of("<%s>; rel=hub".formatted(hub), "<%s>; rel=self".formatted(url))),
            reply.headers().all("Link").stream())
        .toList();
  }

  private FetchResult result(FollowedFeed feed, Question question, Reply reply, Duration took) {
    FetchResult.Way way = way(question, reply, took);
    if (reply.status() == NOT_MODIFIED && question.isUnconditional(reply.finalUrl())) {
      return new FetchResult.Failed(
          NOT_MODIFIED,
          "the origin answered 304 to a request without validators",
          Optional.empty(),
          way);
    }
    if (reply.status() == NOT_MODIFIED) {
      return new FetchResult.NotModified(way);
    }
    if (reply.status() == GONE) {
      return new FetchResult.Gone(GONE, "the origin says that it is gone", way);
    }
    if (!reply.successful()) {
      return new FetchResult.Failed(
          reply.status(), question.refusal(reply), RetryAfter.of(reply, clock.instant()), way);
    }
    return new FetchResult.Fresh(
        reply.status(),
        reply.body(),
        new Served(
            Urls.base(reply.finalUrl(), feed.topic()),
            reply.headers().first("Content-Type").orElse(null),
            reply.headers().first("Content-Language").orElse(null),
            reply.headers().first("Content-Location").orElse(null)),
        way,
        links(reply),
        validator(reply, "ETag"),
        validator(reply, "Last-Modified"));
  }

  private FetchResult.Way way(Question question, Reply reply, Duration took) {
    return new FetchResult.Way(
        reply.finalUrl(),
        question.after(reply.hops()),
        question.toPage(),
        question.isDiscovered(),
        Freshness.of(reply.headers(), clock.instant()).orElse(null),
        took,
        RateLimit.of(reply.headers()::all, clock.instant()),
        reply.address());
  }

  /** The value of a validator; null if it cannot be sent back. */
  private static @Nullable String validator(Reply reply, String name) {
    return reply
        .headers()
        .first(name)
        .filter(v -> v.length() <= MAX_VALIDATOR && SENDABLE.matcher(v).matches())
        .orElse(null);
  }
}
