package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.Users;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.Page;
import java.util.List;

/** {@code /api/v1/users}: the users that save feeds or make Superfeedr's calls. */
final class UsersApi {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  /** Any text could be a login: this shows that the list wrote the cursor. */
  private static final String POSITION = "user:";

  private final Users users;

  UsersApi(Users users) {
    this.users = users;
  }

  /** {@code GET /users}. */
  Response list(Request request) {
    Page page = Page.of(request);
    String after = page.position().map(UsersApi::login).orElse("");
    List<Users.User> found = users.list(after, page.limit() + 1);
    return Answers.json(OK, page.items(found, user -> user, user -> POSITION + user.login()));
  }

  private static String login(String position) {
    String login = position.startsWith(POSITION) ? position.substring(POSITION.length()) : "";
    if (!SavedFeeds.isLogin(login)) {
      throw Page.badCursor();
    }
    return login;
  }

  /** {@code DELETE /users/{id}}; the id is the login. */
  Response delete(Request request) {
    String login = request.pathVariables().getOrDefault("id", "");
    return users.remove(login).join()
        ? Response.noContent()
        : Answers.problem(NOT_FOUND, "there is no such user");
  }
}
