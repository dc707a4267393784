package io.feedbridge.gateway.testing;

import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A blog with WordPress' plugin "RSSCloud" 0.5.1, at an http and an https port. It answers and
 * calls like that version, in its order of checks. Its {@code <cloud>} names the http port, as
 * versions before 0.5.1 do on an https site too.
 *
 * <p>Tests cannot listen on port 443. The blog keeps the URL that it would call, and reaches the
 * gateway at its local URL if the gateway's public URL is called by its scheme and port.
 */
public final class WordPressCloud implements AutoCloseable {

  /** The sentence for every protocol but one. */
  public static final String ONLY_HTTP_POST =
      "Only http-post notifications are supported at this time.";

  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String CHALLENGE = "Xo1?&=+ 9";

  private final RawHost plain = RawHost.running(talk -> converse(talk, false));
  private final RawHost secure;
  private final URI gateway;
  private final String gatewayAt;
  private final Http http = new Http();
  private final List<Map<String, String>> registrations = new CopyOnWriteArrayList<>();
  private final List<String> dialled = new CopyOnWriteArrayList<>();
  private final Map<String, String> registered = new ConcurrentHashMap<>();
  private volatile List<String> items = List.of("one");
  private volatile int moved;
  private volatile boolean broken;

  /**
   * A blog by http.
   *
   * @param gateway the gateway's public URL
   * @param gatewayAt where the gateway listens
   */
  public WordPressCloud(SSLContext tls, URI gateway, String gatewayAt) {
    this.gateway = gateway;
    this.gatewayAt = gatewayAt;
    secure = RawHost.secure(tls, talk -> converse(talk, true));
  }

  /** From now on the blog is at https, to which it redirects with this status. */
  public void moveToHttps(int status) {
    moved = status;
  }

  /** From now on the blog is at http, and its https port answers nothing of use. */
  public void moveBack() {
    moved = 0;
    broken = true;
  }

  /** The feed by its http URL. */
  public String oldFeed() {
    return plain.url("/feed/");
  }

  /** The feed's URL, {@code rss2_url}: the only one that can be registered. */
  public String feed() {
    return moved == 0 ? oldFeed() : secure.url("/feed/");
  }

  /** Publishes entries, the first the newest. */
  public void publish(String... newestFirst) {
    items = List.of(newestFirst);
  }

  /** Registrations that came as a POST, with the scheme they came by as {@code by}. */
  public List<Map<String, String>> registrations() {
    return List.copyOf(registrations);
  }

  /** The URLs that were called, or would have been. */
  public List<String> dialled() {
    return List.copyOf(dialled);
  }

  /** How many aggregators are registered for a feed. */
  public int registered(String feed) {
    return (int) registered.values().stream().filter(feed::equals).count();
  }

  /** POSTs that came to the http port, redirected or not. */
  public long plainPosts() {
    return plain.requests().stream().filter(one -> one.line().startsWith("POST ")).count();
  }

  /** Notifies each registered aggregator of the feed that it registered. */
  public List<Integer> ping() {
    List<Integer> statuses = new ArrayList<>();
    registered.forEach(
        (notifyUrl, feed) -> {
          dialled.add(notifyUrl);
          byte[] body = Http.encode("url", feed).getBytes(StandardCharsets.UTF_8);
          statuses.add(http.post(reached(notifyUrl), FORM, body).join().statusCode());
        });
    return statuses;
  }

  private void converse(RawHost.Talk talk, boolean https) throws IOException {
    RawHost.Received request = talk.read();
    while (request != null) {
      talk.send(answer(request, https));
      request = talk.read();
    }
  }

  private String answer(RawHost.Received request, boolean https) {
    if (moved != 0 && !https) {
      return RawHost.redirect(moved, secure.url(request.target()));
    }
    if (broken && https) {
      return ok("text/html", "<html>It works!</html>");
    }
    if (!request.target().equals("/?rsscloud=notify")) {
      return ok("application/rss+xml", FakeOrigin.rssOf(element(), items.toArray(String[]::new)));
    }
    Map<String, String> form =
        request.line().startsWith("POST ")
                && request.header("Content-Type").filter(FORM::equals).isPresent()
            ? form(request.body())
            : Map.of();
    if (!form.isEmpty()) {
      registrations.add(
          Stream.concat(
                  form.entrySet().stream(), Stream.of(Map.entry("by", https ? "https" : "http")))
              .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }
    String refusal = refusal(form);
    return ok(
        "text/xml",
        "<?xml version='1.0'?>\n<notifyResult success='%s' msg='%s' />\n"
            .formatted(refusal == null, refusal == null ? "Registration successful." : refusal));
  }

  private @Nullable String refusal(Map<String, String> form) {
    String feed = form.get("url1");
    if (feed == null) {
      return "No feed for url1.";
    }
    if (!"http-post".equalsIgnoreCase(form.get("protocol"))) {
      return ONLY_HTTP_POST;
    }
    if (form.getOrDefault("path", "").isEmpty()) {
      return "No path provided.";
    }
    if (!feed.equals(feed())) {
      return "You can only request updates for " + feed();
    }
    String port = form.getOrDefault("port", "80");
    String scheme = port.equals("443") ? "https" : "http";
    String notifyUrl = scheme + "://" + form.get("domain") + ":" + port + form.get("path");
    String url = notifyUrl + "?" + Http.encode("url", feed, "challenge", CHALLENGE);
    dialled.add(url);
    if (reached(url).isEmpty()) {
      return "Error testing notification URL : cURL error 52: Empty reply from server";
    }
    HttpResponse<String> reply = http.get(reached(url));
    if (reply.statusCode() / 100 != 2) {
      return "Error testing notification URL.  The URL returned HTTP status code: "
          + reply.statusCode();
    }
    if (!reply.body().equals(CHALLENGE)) {
      return "The aggregator did not return the challenge.";
    }
    registered.put(notifyUrl, feed);
    return null;
  }

  /** The local URL of a called one; empty if nobody can be reached by it. */
  private String reached(String url) {
    URI called = URI.create(url);
    int port = gateway.getPort() < 0 ? 443 : gateway.getPort();
    boolean there =
        called.getScheme().equals(gateway.getScheme())
            && called.getHost().equals(gateway.getHost())
            && called.getPort() == port;
    return there
        ? gatewayAt
            + called.getRawPath()
            + (called.getRawQuery() == null ? "" : "?" + called.getRawQuery())
        : "";
  }

  private String element() {
    return ("<cloud domain='127.0.0.1' port='%d' path='/?rsscloud=notify' registerProcedure=''"
            + " protocol='http-post' />")
        .formatted(plain.port());
  }

  private static String ok(String type, String body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(type, body.length(), body);
  }

  private static Map<String, String> form(String body) {
    return Stream.of(body.split("&"))
        .map(pair -> pair.split("=", 2))
        .collect(
            Collectors.toMap(
                pair -> URLDecoder.decode(pair[0], StandardCharsets.UTF_8),
                pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
  }

  @Override
  public void close() {
    plain.close();
    secure.close();
  }
}
