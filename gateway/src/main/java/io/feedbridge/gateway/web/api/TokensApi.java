package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.Token;
import io.feedbridge.gateway.store.sql.Tokens;
import io.feedbridge.gateway.web.api.model.TokenView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.JsonBody;
import io.feedbridge.gateway.web.common.Page;
import java.time.Clock;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code /api/v1/tokens}: the credentials of Superfeedr's calls, and of {@code rssCloud.saveRss}.
 */
final class TokensApi {

  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private final Tokens tokens;
  private final RandomGenerator random;
  private final Clock clock;

  TokensApi(Tokens tokens, RandomGenerator random, Clock clock) {
    this.tokens = tokens;
    this.random = random;
    this.clock = clock;
  }

  /** The request for a new token. */
  record New(@Nullable String login, @Nullable List<@Nullable String> rights) {}

  /** {@code POST /tokens}. */
  Response create(Request request) {
    New asked = JsonBody.read(request, New.class);
    String login = login(asked.login);
    Set<Right> rights = rights(asked.rights);
    String token = AccessTokens.fresh(random);
    Optional<Token> made =
        tokens.add(login, AccessTokens.hash(token), rights, clock.instant()).join();
    return made.map(
            one ->
                Answers.json(
                    CREATED,
                    new TokenView.Created(
                        Long.toString(one.id()),
                        login,
                        token,
                        TokenView.names(rights),
                        one.createdAt())))
        .orElseGet(
            () ->
                Answers.problem(
                    CONFLICT,
                    "this login has %d tokens, which is the maximum: delete one"
                        .formatted(Tokens.MAX_OF_LOGIN)));
  }

  private static String login(@Nullable String login) {
    if (login == null) {
      throw new BadFieldException("login", "it is missing");
    }
    if (!SavedFeeds.isLogin(login)) {
      throw new BadFieldException("login", "a name of up to 64 letters, digits, - and _ is needed");
    }
    return login;
  }

  private static Set<Right> rights(@Nullable Collection<@Nullable String> names) {
    if (names == null || names.isEmpty()) {
      throw new BadFieldException("rights", "at least one is needed; there are " + allRights());
    }
    Set<Right> rights = EnumSet.noneOf(Right.class);
    for (String name : names) {
      rights.add(
          Right.of(String.valueOf(name))
              .orElseThrow(
                  () -> new BadFieldException("rights", "there are " + allRights() + " alone")));
    }
    return rights;
  }

  private static String allRights() {
    return Arrays.stream(Right.values()).map(Right::value).collect(Collectors.joining(", "));
  }

  /** {@code GET /tokens}. */
  Response list(Request request) {
    Page page = Page.of(request);
    long after = ItemId.behind(page);
    List<Token> found = tokens.list(after, page.limit() + 1);
    return Answers.json(OK, page.items(found, TokenView::of, token -> Long.toString(token.id())));
  }

  /** {@code DELETE /tokens/{id}}. */
  Response delete(Request request) {
    return ItemId.in(request).filter(id -> tokens.remove(id).join()).isPresent()
        ? Response.noContent()
        : Answers.problem(NOT_FOUND, "there is no such token");
  }
}
