package io.feedbridge.gateway.testing;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A blog with a version of WordPress' plugin "RSSCloud", at an http and an https port of {@link
 * #HOST}. It answers and calls like that version, in its order of checks, and follows redirects as
 * WordPress does.
 */
public final class WordPressCloud implements AutoCloseable {

  /** A version of the plugin. */
  public enum Version {
    /** Names its http port on an https site too, and calls each port by http. */
    V0_5_0,

    /** Names its https port on an https site, and calls port 443 by https. */
    V0_5_1
  }

  /** The blog's host, which the named hosts must include. */
  public static final String HOST = "blog.example";

  /** The sentence for every protocol but one. */
  public static final String ONLY_HTTP_POST =
      "Only http-post notifications are supported at this time.";

  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String CHALLENGE = "4f0c9e1a7b3d52688c0e9f1a2b3c4d";

  /** {@code RSSCLOUD_MAX_FAILURES}: one more in a row suspends a registration. */
  private static final int MAX_FAILURES = 5;

  private final Version version;
  private final RawHost plain = RawHost.running(talk -> converse(talk, false));
  private final RawHost secure;
  private final Http http;
  private final List<Map<String, String>> registrations = new CopyOnWriteArrayList<>();
  private final List<String> dialled = new CopyOnWriteArrayList<>();
  private final Map<Registered, Integer> failures = new ConcurrentHashMap<>();
  private volatile List<String> items = List.of("one");
  private volatile int moved;
  private volatile boolean broken;
  private volatile boolean replaced;

  private record Registered(String feed, String notifyUrl) {}

  /** A blog by http. */
  public WordPressCloud(Version version, NamedHosts hosts) {
    this.version = version;
    http = hosts.http();
    secure = hosts.secure(talk -> converse(talk, true));
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

  /** From now on ids have the blog's URL of now, as after a search and replace in its database. */
  public void replaceIds() {
    replaced = true;
  }

  /** The feed by its http URL. */
  public String oldFeed() {
    return plain.at(HOST, "/feed/");
  }

  /** The feed's URL, {@code rss2_url}: the only one that can be registered. */
  public String feed() {
    return at("/feed/");
  }

  private String at(String path) {
    return (moved == 0 ? plain : secure).at(HOST, path);
  }

  /** Publishes entries, the first the newest. */
  public void publish(String... newestFirst) {
    items = List.of(newestFirst);
  }

  /** The id that an entry of the blog has from the beginning. */
  public String id(String item) {
    return "http://" + HOST + "/?p=" + item;
  }

  /** A URL in the feed, as at the usual ports. */
  private String named(String path) {
    return (moved == 0 ? "http://" : "https://") + HOST + path;
  }

  /** Registrations that came as a POST, with the scheme they came by as {@code by}. */
  public List<Map<String, String>> registrations() {
    return List.copyOf(registrations);
  }

  /** The URLs that were called, each before its redirects. */
  public List<String> dialled() {
    return List.copyOf(dialled);
  }

  /** How many aggregators are registered for a feed and not suspended. */
  public int registered(String feed) {
    return (int) active(feed).count();
  }

  private Stream<Registered> active(String feed) {
    return failures.entrySet().stream()
        .filter(one -> one.getKey().feed.equals(feed) && one.getValue() <= MAX_FAILURES)
        .map(Map.Entry::getKey);
  }

  /** POSTs that came to the http port, redirected or not. */
  public long plainPosts() {
    return plain.requests().stream().filter(one -> one.line().startsWith("POST ")).count();
  }

  /** Notifies each aggregator that is registered for the feed's URL of now. */
  public List<Integer> ping() {
    List<Integer> statuses = new ArrayList<>();
    for (Registered one : active(feed()).toList()) {
      byte[] body = Http.encode("url", one.feed).getBytes(StandardCharsets.UTF_8);
      dialled.add(one.notifyUrl);
      int status = http.post(one.notifyUrl, FORM, body).join().statusCode();
      statuses.add(status);
      failures.compute(one, (same, before) -> status / 100 == 2 ? 0 : before + 1);
    }
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
      return RawHost.redirect(moved, at(request.target()));
    }
    if (broken && https) {
      return ok("text/html", "<html>It works!</html>");
    }
    if (!request.target().equals("/?rsscloud=notify")) {
      return ok("application/rss+xml", document());
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
    String port = form.getOrDefault("port", "80");
    String scheme = version == Version.V0_5_1 && port.equals("443") ? "https" : "http";
    String notifyUrl = scheme + "://" + form.get("domain") + ":" + port + form.get("path");
    String challenge = notifyUrl + "?url=" + feed + "&challenge=" + CHALLENGE;
    dialled.add(challenge);
    HttpResponse<String> reply;
    try {
      reply = http.get(challenge);
    } catch (CompletionException e) {
      return "Error testing notification URL : cURL error 52: Empty reply from server";
    }
    if (reply.statusCode() / 100 != 2) {
      return "Error testing notification URL.  The URL returned HTTP status code: "
          + reply.statusCode();
    }
    if (!reply.body().equals(CHALLENGE)) {
      return "The response body did not match the challenge string";
    }
    if (!feed.equals(feed())) {
      return "You can only request updates for " + feed();
    }
    failures.put(new Registered(feed, notifyUrl), 0);
    return null;
  }

  private String document() {
    StringBuilder text =
        new StringBuilder("<rss version=\"2.0\"><channel><title>Blog</title>")
            .append("<link>%s</link><description>d</description>".formatted(named("/")))
            .append(element());
    for (String item : items) {
      text.append("<item><title>Title of %s</title>".formatted(item))
          .append("<link>%s</link>".formatted(named("/" + item + "/")))
          .append(
              "<guid isPermaLink=\"false\">%s</guid></item>"
                  .formatted(replaced ? named("/?p=" + item) : id(item)));
    }
    return text.append("</channel></rss>").toString();
  }

  private String element() {
    boolean https = moved != 0 && version == Version.V0_5_1;
    return ("<cloud domain='%s' port='%d' path='/?rsscloud=notify' registerProcedure=''"
            + " protocol='http-post' />")
        .formatted(HOST, (https ? secure : plain).port());
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
