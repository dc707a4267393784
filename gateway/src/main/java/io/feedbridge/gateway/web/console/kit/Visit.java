package io.feedbridge.gateway.web.console.kit;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.console.view.Frame;
import io.feedbridge.gateway.web.console.view.Listed;
import io.feedbridge.gateway.web.console.view.PageLinks;
import io.feedbridge.gateway.web.console.view.Pages;
import io.feedbridge.gateway.web.console.view.Text;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One request of a browser, and the parts that the answer is made of.
 *
 * @param form the fields of the form that was sent; empty for a GET
 * @param threads where pages are made; an answer that comes later must be made there
 */
public record Visit(
    Request request,
    Gate.Standing standing,
    boolean guarded,
    Map<String, List<String>> form,
    Calls api,
    Templates templates,
    Clock clock,
    CallerThreads threads) {

  private static final int OK = 200;
  private static final int SEE_OTHER = 303;

  /** Makes an answer that comes later, on the threads where pages are made. */
  public CompletionStage<Response> later(Supplier<Response> answer) {
    return threads.supply(request, answer);
  }

  /** A page. */
  public Response page(String template, String title, String section, Map<String, ?> values) {
    return page(OK, template, title, section, values);
  }

  /** A page with another status. */
  public Response page(
      int status, String template, String title, String section, Map<String, ?> values) {
    Map<String, Object> all = new LinkedHashMap<>(values);
    all.put("frame", frame(title, section));
    return templates.page(status, template, all, accepts("gzip"));
  }

  private Frame frame(String title, String section) {
    return new Frame(
        title,
        section,
        standing.operator(),
        standing.inSession(),
        guarded,
        standing.formToken(),
        notice(),
        templates.assets(),
        text());
  }

  private boolean accepts(String encoding) {
    return request.headers().all("Accept-Encoding").stream()
        .anyMatch(value -> value.contains(encoding));
  }

  /** Texts of times as of now. */
  public Text text() {
    return new Text(clock.instant());
  }

  private @Nullable String notice() {
    return Notices.of(request.query().getOrDefault("done", List.of("")).get(0));
  }

  /** The value of a parameter of the query; empty where there is none. */
  public String query(String name) {
    return Page.parameter(request, name).orElse("");
  }

  /** The stripped value of a field of the form; empty where there is none. */
  public String field(String name) {
    List<String> values = form.getOrDefault(name, List.of());
    return values.isEmpty() ? "" : values.get(0).strip();
  }

  /** A variable of the path. */
  public String variable(String name) {
    return PageLinks.of(request.pathVariables().getOrDefault(name, ""));
  }

  /** The filter of a list: these parameters of the query. */
  public PageLinks filter(String path, String... names) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String name : names) {
      values.put(name, query(name));
    }
    return new PageLinks(path, values);
  }

  /** The pages of a list that was asked for its total, at the one that the query names. */
  public Pages pages(PageLinks links, Listed<?> listed) {
    String page = query("page");
    long total = listed.total() == null ? listed.items().size() : listed.total();
    return new Pages(
        links, page.isEmpty() ? 1 : Long.parseLong(page), listed.items().size(), total);
  }

  /** Leads the browser to another page, which shows the notice of that name. */
  public static Response go(String path, String notice) {
    String url =
        path + (notice.isEmpty() ? "" : (path.contains("?") ? "&" : "?") + "done=" + notice);
    return Response.empty(SEE_OTHER).withHeader("Location", url);
  }
}
