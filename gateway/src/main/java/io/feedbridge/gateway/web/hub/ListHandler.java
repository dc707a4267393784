package io.feedbridge.gateway.web.hub;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.NullDevice;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.normalizer.SuperfeedrJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code hub.mode=list}: the caller's subscriptions, the oldest first. */
final class ListHandler {

  private static final int OK = 200;
  private static final int BY_PAGE = 20;
  private static final int MAX_BY_PAGE = 500;
  private static final int MAX_PAGE = 1_000_000;

  private final LoginSubscriptions loginSubscriptions;
  private final HubSearch search;

  ListHandler(LoginSubscriptions loginSubscriptions, HubSearch search) {
    this.loginSubscriptions = loginSubscriptions;
    this.search = search;
  }

  /** A subscription as Superfeedr wraps it. */
  private record Wrapped(View subscription) {}

  /**
   * A subscription.
   *
   * @param secret never there, but its key is
   */
  private record View(String format, String endpoint, @Nullable String secret, FeedView feed) {}

  /**
   * Its feed.
   *
   * @param status as the schema has it; absent unless details are wanted
   */
  private record FeedView(
      @Nullable String title,
      String url,
      @JsonRawValue @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String status) {}

  /** The list for clients that ask for details. */
  private record Detailed(List<Wrapped> subscriptions) {}

  Response list(HubCaller caller, HubParameters parameters) {
    int page = parameters.number("page", 1, MAX_PAGE).orElse(1);
    int byPage = parameters.number("by_page", 1, MAX_BY_PAGE).orElse(BY_PAGE);
    boolean detailed = parameters.flag("detailed");
    List<Wrapped> found =
        loginSubscriptions
            .list(search.filter(caller, parameters), byPage, (page - 1L) * byPage)
            .stream()
            .map(one -> new Wrapped(view(one, detailed)))
            .toList();
    return Answers.json(OK, detailed ? new Detailed(found) : found);
  }

  private static View view(LoginSubscriptions.Holding one, boolean detailed) {
    FollowedFeed feed = one.feed();
    return new View(
        Answers.word(one.subscription().terms().format()),
        NullDevice.named(one.subscription().callback()),
        null,
        new FeedView(
            feed.fetched().title(),
            one.subscription().terms().namedTopic(),
            detailed ? status(feed) : null));
  }

  private static String status(FollowedFeed feed) {
    return new String(SuperfeedrJson.write(feed.status()), StandardCharsets.UTF_8);
  }
}
