package io.feedbridge.gateway.ingest.fetch;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.Hop;
import io.feedbridge.gateway.client.address.Origin;
import io.feedbridge.gateway.client.address.Proxy;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.Target;
import io.feedbridge.gateway.ingest.hosts.RateLimit;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Validators;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One question to an origin: the URL, its validators, and the number of subscribers. */
record Question(
    String url,
    Validators validators,
    long readers,
    List<Hop> hops,
    List<Hop> toPage,
    boolean isDiscovered,
    Call.@Nullable Credentials credentials,
    DocumentMemory.Held held,
    Journey journey) {

  private static final String ACCEPT =
      "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9,"
          + " text/xml;q=0.9, */*;q=0.8";

  Question at(Hop moved, List<Hop> before) throws CallException {
    var unused = Target.parse(moved.location());
    List<Hop> all = after(before);
    all.add(moved);
    return new Question(
        moved.location(),
        validators,
        readers,
        all,
        toPage,
        isDiscovered,
        credentials,
        held,
        journey);
  }

  Question leadingTo(String feed, List<Hop> before) throws CallException {
    var unused = Target.parse(feed);
    return new Question(
        feed, Validators.NONE, readers, List.of(), after(before), true, credentials, held, journey);
  }

  List<Hop> after(List<Hop> more) {
    List<Hop> all = new ArrayList<>(hops);
    all.addAll(more);
    return all;
  }

  /** The way of a call that ended without an answer, as far as it got in this time. */
  FetchResult.Way endingAfter(List<Hop> more, Duration took) {
    List<Hop> all = after(more);
    String last = all.isEmpty() ? url : all.get(all.size() - 1).location();
    return new FetchResult.Way(last, all, toPage, isDiscovered, null, took, RateLimit.NONE, null);
  }

  /** The URL that is asked conditionally; in a store of an earlier version the first one. */
  private String validatedUrl() {
    String known = validators.url();
    return known == null ? url : known;
  }

  /** Whether a URL was asked without validators. */
  boolean isUnconditional(String asked) {
    boolean none = validators.etag() == null && validators.lastModified() == null;
    return none || !validatedUrl().equals(asked);
  }

  static Call.Credentials credentials(FollowedFeed feed, FeedCredentials given) {
    List<Header> fields = new ArrayList<>();
    given.fields().forEach((name, value) -> fields.add(new Header(name, value)));
    String proxy = given.proxy();
    try {
      return new Call.Credentials(
          Target.parse(feed.topic()).origin(),
          fields,
          proxy == null ? null : Proxy.parse(proxy).orElseThrow());
    } catch (CallException e) {
      throw new IllegalArgumentException("the topic of " + feed.id() + " is no URL", e);
    }
  }

  /**
   * The call that asks it.
   *
   * @param isFirst whether no fetch has found a feed yet
   */
  Call call(UserAgent userAgent, boolean isFirst) {
    Call.Builder call =
        Call.get(url, Purpose.FETCH)
            .header("Accept", ACCEPT)
            .header("User-Agent", userAgent.speakingFor(readers))
            .acceptBrotli()
            .mayFollow(journey::goesTo)
            .redirects(Math.max(0, Call.MAX_REDIRECTS - hops.size()))
            .refuseBodyOver(Fetcher.MAX_BODY)
            .in(held)
            .timeout(Fetcher.TIMEOUT);
    if (credentials != null) {
      call.credentials(credentials);
    }
    if (isFirst) {
      // Whether it finds a feed is known only when its document has been read.
      call.unlessWanted(reply -> false);
    }
    // Validators go back byte for byte as they came.
    List<Header> conditions = new ArrayList<>();
    if (validators.etag() != null) {
      conditions.add(new Header("If-None-Match", validators.etag()));
    }
    if (validators.lastModified() != null) {
      conditions.add(new Header("If-Modified-Since", validators.lastModified()));
    }
    return call.validators(new Call.Validators(validatedUrl(), conditions)).build();
  }

  /** The reason why there is no document in an answer that refuses it. */
  String refusal(Reply reply) {
    String why =
        reply.status() == FetchResult.UNAUTHORIZED
            ? FollowedFeed.ASKS_FOR_CREDENTIALS
            : "the origin answered with status " + reply.status();
    if (credentials == null) {
      return why;
    }
    if (!isAt(credentials.origin(), reply.finalUrl())) {
      return why + FetchResult.CREDENTIALS_NOT_SENT;
    }
    // Without TLS either of the two may have answered.
    return credentials.proxy() == null || credentials.origin().secure()
        ? why
        : why + ", or the proxy did in its place";
  }

  private static boolean isAt(Origin origin, String url) {
    try {
      return Target.parse(url).origin().equals(origin);
    } catch (CallException noUrl) {
      return false;
    }
  }
}
