package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.CallerView;
import io.feedbridge.gateway.web.api.model.ClusterView;
import io.feedbridge.gateway.web.api.model.PublisherView;
import io.feedbridge.gateway.web.api.model.TokenView;
import io.feedbridge.gateway.web.console.kit.CallFailedException;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.Listed;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /access}: the tokens, the publishers, and the callers that limits hold back. */
public final class AccessPages {

  private static final String SECTION = "access";
  private static final int OK = 200;
  private static final String LIMIT = "100";

  private final String version;

  /** The pages of a gateway of this version. */
  public AccessPages(String version) {
    this.version = version;
  }

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.get(routes, "/access", visit -> page(visit, OK, Map.of()));
    desk.post(routes, "/access/tokens", this::newToken);
    desk.post(routes, "/access/tokens/{id}/revoke", visit -> remove(visit, "/tokens/", "revoked"));
    desk.post(routes, "/access/publishers", this::newPublisher);
    desk.post(
        routes,
        "/access/publishers/{id}/remove",
        visit -> remove(visit, "/publishers/", "removed"));
  }

  private Response page(Visit visit, int status, Map<String, ?> more) {
    Calls api = visit.api();
    Listed<TokenView> tokens =
        api.list(
            Calls.path("/tokens", "limit", LIMIT, "cursor", visit.query("tokens")),
            TokenView.class);
    Listed<PublisherView> publishers =
        api.list(
            Calls.path("/publishers", "limit", LIMIT, "cursor", visit.query("publishers")),
            PublisherView.class);
    Listed<CallerView> callers = api.list("/callers", CallerView.class);
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("tokens", tokens);
    values.put("publishers", publishers);
    values.put("callers", callers.items());
    values.put("cluster", api.get("/cluster", ClusterView.class));
    values.put("version", version);
    values.put("shown", null);
    values.put("errors", Map.of());
    values.putAll(more);
    return visit.page(status, "access", "Access", SECTION, values);
  }

  /**
   * A secret that is shown once.
   *
   * @param title the name of the secret, such as "The token of ada"
   */
  public record Shown(String title, String secret) {}

  private Response newToken(Visit visit) {
    List<String> rights = visit.form().getOrDefault("rights", List.of());
    return made(
        visit,
        "token",
        () -> {
          TokenView.Created made =
              visit
                  .api()
                  .post(
                      "/tokens",
                      Map.of("login", visit.field("login"), "rights", rights),
                      TokenView.Created.class);
          return new Shown("The token of " + made.login(), String.valueOf(made.token()));
        });
  }

  private Response newPublisher(Visit visit) {
    return made(
        visit,
        "publisher",
        () -> {
          PublisherView.Created made =
              visit
                  .api()
                  .post(
                      "/publishers",
                      Map.of("topic", visit.field("topic")),
                      PublisherView.Created.class);
          return new Shown("The secret for " + made.topic(), String.valueOf(made.secret()));
        });
  }

  private interface Making {
    @Nullable Shown make();
  }

  private Response made(Visit visit, String form, Making making) {
    try {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("shown", making.make());
      return page(visit, OK, values);
    } catch (CallFailedException e) {
      Map<String, String> errors = new LinkedHashMap<>();
      e.errors().forEach((field, reason) -> errors.put(form + "." + field, reason));
      if (errors.isEmpty()) {
        errors.put(form, e.detail());
      }
      return page(visit, e.status(), Map.of("errors", errors));
    }
  }

  private static Response remove(Visit visit, String path, String notice) {
    visit.api().run("DELETE", path + visit.variable("id"));
    return Visit.go("/access", notice);
  }
}
