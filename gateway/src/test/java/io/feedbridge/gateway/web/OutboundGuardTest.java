package io.feedbridge.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.Resolver;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.Results;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A list of addresses and URLs (the files of {@code /guard}), each as topic, callback, rssCloud
 * domain, hub and cloud of one gateway, which does as the list says: 127.0.0.1 is allowed to it and
 * stands for the internet; everywhere else it must not go. All are tried at once, before the first
 * is looked at.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutboundGuardTest {

  private static final String OPEN = "127.0.0.1";
  private static final int AT_ONCE = 24;
  private static final Pattern UNICODE = Pattern.compile("\\\\u([0-9a-f]{4})");
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("http://(\\[[^]]*]|[^/:?#\\\\@]+):([1-9]\\d{0,4})/x");

  /** Names that were looked up. */
  private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

  @TempDir static Path data;
  private final Http http = new Http();
  private final List<RawHost> inside = new ArrayList<>();
  private final Map<Role, Map<String, String>> outcomes = new EnumMap<>(Role.class);
  private World world;
  private String feed;

  /** As what a URL comes to the gateway. */
  private enum Role {
    TOPIC,
    /** Where the topic redirects to. */
    REDIRECT,
    CALLBACK,
    DOMAIN,
    HUB,
    CLOUD
  }

  private enum Verdict {
    REACHED,
    ADDRESS,
    URL,
    PORT
  }

  private record Case(Verdict verdict, String url) {}

  /** Every name leads inside but for those that say otherwise. */
  private static List<InetAddress> resolve(String host) {
    Matcher told = Pattern.compile("(to|both)\\.(.+)\\.vectors\\.test").matcher(host);
    if (told.matches()) {
      InetAddress address = address(told.group(2).replace("-", ":"));
      return told.group(1).equals("to") ? List.of(address) : List.of(address(OPEN), address);
    }
    if (host.equals("public.test") || host.endsWith(".public.test")) {
      return List.of(address(OPEN));
    }
    if (host.startsWith("rebound-")) {
      return List.of(address(SEEN.add(host) ? OPEN : RawHost.INSIDE));
    }
    return switch (host) {
      case "mixed.test" -> List.of(address("10.0.0.1"), address(OPEN));
      case "mixed-last.test" -> List.of(address(OPEN), address(OPEN), address("10.0.0.1"));
      case "mapped.test" -> List.of(mapped(address(RawHost.INSIDE)));
      default -> List.of(address(RawHost.INSIDE));
    };
  }

  private static InetAddress address(String literal) {
    return Objects.requireNonNull(NetUtil.createInetAddressFromIpAddressString(literal), literal);
  }

  private static InetAddress mapped(InetAddress ipv4) {
    byte[] bytes = new byte[16];
    bytes[10] = -1;
    bytes[11] = -1;
    System.arraycopy(ipv4.getAddress(), 0, bytes, 12, 4);
    try {
      return Inet6Address.getByAddress(null, bytes, -1);
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<String> lines(String file) {
    try (var in = Objects.requireNonNull(OutboundGuardTest.class.getResourceAsStream(file))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines().filter(line -> !line.startsWith("#") && !line.isBlank()).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Each address in all ways that lead there. */
  private static Stream<Case> cases() {
    Stream<Case> addresses =
        lines("/guard/addresses.txt")
            .map(line -> line.split(" ", 2)[0])
            .flatMap(
                address -> {
                  String host = address.contains(":") ? "[" + address + "]" : address;
                  String name = address.replace(":", "-") + ".vectors.test";
                  return Stream.of(host, "to." + name, "both." + name)
                      .filter(one -> !one.contains(".-") && !one.contains("-."))
                      .map(one -> new Case(Verdict.ADDRESS, "http://" + one + ":{port}/x"));
                });
    Stream<Case> urls =
        lines("/guard/urls.txt")
            .map(line -> line.split(" ", 2))
            .map(
                parts ->
                    new Case(
                        Verdict.valueOf(parts[0].toUpperCase(Locale.ROOT)),
                        UNICODE
                            .matcher(parts[1])
                            .replaceAll(
                                found ->
                                    Matcher.quoteReplacement(
                                        Character.toString(
                                            Integer.parseInt(found.group(1), 16))))));
    return Stream.concat(addresses, urls);
  }

  private static Stream<Arguments> rolesOfCases() {
    return cases()
        .flatMap(
            one ->
                Stream.of(Role.values())
                    .filter(role -> isFor(role, one.url))
                    .map(role -> Arguments.of(role, one.verdict, one.url)));
  }

  private static boolean isFor(Role role, String url) {
    boolean controls = url.chars().anyMatch(Character::isISOControl);
    return switch (role) {
      case TOPIC, CALLBACK -> true;
      // Header fields hold ASCII.
      case REDIRECT -> !controls && url.chars().allMatch(c -> c < 0x80);
      case DOMAIN -> domain(url).isPresent();
      // References in documents are read as browsers do, who encode or drop control characters.
      case HUB, CLOUD -> isInXml(url);
    };
  }

  private static boolean isInXml(String url) {
    return url.chars().noneMatch(c -> Character.isISOControl(c) || Character.isSurrogate((char) c));
  }

  /** What a registration names is not a URL but a host and a port. */
  private static Optional<Matcher> domain(String url) {
    Matcher parts = HOST_AND_PORT.matcher(url.replace("{port}", "54321"));
    return parts.matches() ? Optional.of(parts) : Optional.empty();
  }

  @BeforeAll
  void tryAll() {
    Resolver resolver = host -> CompletableFuture.completedFuture(resolve(host));
    world = World.around(TestGateway.resolving(data, OPEN + "/32", (loop, transport) -> resolver));
    feed = world.origin().rss("feed.xml", "", "one");
    world.origin().rss("x", "", "one");
    world.subscribe(feed, "first");
    for (int port :
        List.of(
            port(world.origin().url("")),
            world.subscriber().port(),
            port(world.hub().url()),
            world.cloud().port())) {
      inside.add(RawHost.inside(RawHost.INSIDE, port));
      inside.add(RawHost.inside("::1", port));
    }
    List<Case> all = cases().toList();
    ExecutorService senders = Executors.newFixedThreadPool(AT_ONCE);
    try {
      tryAs(Role.CALLBACK, all, senders, callback -> subscribed(feed, callback));
      tryAs(
          Role.TOPIC,
          all.stream().filter(one -> !isInXml(one.url)).toList(),
          senders,
          topic -> subscribed(topic, world.subscriber().url("of-topic")));
      tryAs(Role.DOMAIN, all, senders, this::registered);
    } finally {
      senders.shutdown();
    }
    follow(all);
    world.gateway().settle();
    readTopics(all);
    readFollowings(all);
  }

  @AfterAll
  void close() {
    world.close();
    inside.forEach(RawHost::close);
  }

  private static int port(String url) {
    return URI.create(url).getPort();
  }

  private int portFor(Role role) {
    return switch (role) {
      case TOPIC, REDIRECT -> port(world.origin().url(""));
      case CALLBACK, DOMAIN -> world.subscriber().port();
      case HUB -> port(world.hub().url());
      case CLOUD -> world.cloud().port();
    };
  }

  private String at(Role role, String url) {
    return url.replace("{port}", Integer.toString(portFor(role)));
  }

  private void tryAs(
      Role role, List<Case> cases, ExecutorService senders, Function<String, String> request) {
    Map<String, String> into = new ConcurrentHashMap<>();
    outcomes.put(role, into);
    CompletableFuture<?>[] sent =
        cases.stream()
            .filter(one -> isFor(role, one.url))
            .map(
                one ->
                    CompletableFuture.runAsync(
                        () -> into.put(one.url, request.apply(at(role, one.url))), senders))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(sent).join();
  }

  /** Why not; empty if it was verified. */
  private String subscribed(String topic, String callback) {
    HttpResponse<String> answer = world.gateway().subscribe(topic, callback, "hub.verify", "sync");
    return answer.statusCode() == 204 ? "" : answer.statusCode() + " " + answer.body();
  }

  private String registered(String url) {
    Matcher parts = domain(url).orElseThrow();
    HttpResponse<String> answer =
        http.form(
            world.gateway().url("/pleaseNotify"),
            "domain",
            parts.group(1),
            "port",
            parts.group(2),
            "path",
            "/x",
            "protocol",
            "http-post",
            "url1",
            feed);
    Results.Result result = Results.xml(answer, "notifyResult");
    return result.success() ? "" : result.msg();
  }

  /** All as topics, and feeds that redirect there or have that hub or that cloud. */
  private void follow(List<Case> cases) {
    StringBuilder list = new StringBuilder("<opml version=\"2.0\"><head/><body>");
    for (int i = 0; i < cases.size(); i++) {
      String url = cases.get(i).url;
      if (isInXml(url)) {
        list.append(outline(at(Role.TOPIC, url)));
      }
      if (isFor(Role.REDIRECT, url)) {
        world.origin().redirect("redirect-" + i, 302, at(Role.REDIRECT, url));
        list.append(outline(originOfItsOwn("redirect-" + i)));
      }
      if (isFor(Role.HUB, url)) {
        String hub = "<atom:link rel=\"hub\" href=\"%s\"/>".formatted(escaped(at(Role.HUB, url)));
        String cloud =
            "<source:cloud xmlns:source=\"https://source.scripting.com/\">%s</source:cloud>"
                .formatted(escaped(at(Role.CLOUD, url)));
        // A hub that does is preferred to a cloud.
        boolean both = cases.get(i).verdict != Verdict.REACHED;
        world.origin().rss("hub-" + i, both ? hub + cloud : hub, "one");
        world.origin().rss("cloud-" + i, cloud, "one");
        list.append(outline(originOfItsOwn("hub-" + i)));
        list.append(both ? "" : outline(originOfItsOwn("cloud-" + i)));
      }
    }
    byte[] opml = list.append("</body></opml>").toString().getBytes(StandardCharsets.UTF_8);
    HttpResponse<String> report = world.gateway().post("/api/v1/import", "text/x-opml", opml);
    assertThat(report.statusCode()).isEqualTo(200);
  }

  private static String outline(String url) {
    return "<outline type=\"rss\" xmlUrl=\"%s\"/>".formatted(escaped(url));
  }

  private static String escaped(String url) {
    return url.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  /** Where a path of the origin is under a host of its own: one host has few fetches at once. */
  private String originOfItsOwn(String path) {
    return world.origin().url(path).replace(OPEN, path + ".public.test");
  }

  private void readTopics(List<Case> cases) {
    Map<String, String> messages = new HashMap<>();
    for (String row :
        world
            .gateway()
            .rows()
            .query(
                """
                SELECT topic, CASE WHEN first_fetch_at IS NULL
                  THEN fetched ->> 'message' ELSE '' END FROM feed
                """)) {
      String[] topicAndMessage = row.split("\\|", 2);
      messages.put(topicAndMessage[0], topicAndMessage[1]);
    }
    for (int i = 0; i < cases.size(); i++) {
      String url = cases.get(i).url;
      outcome(Role.REDIRECT).put(url, messages.getOrDefault(originOfItsOwn("redirect-" + i), "?"));
      outcome(Role.TOPIC).putIfAbsent(url, messages.getOrDefault(topic(url), "it is no topic"));
    }
  }

  /** As it is followed, if it is. */
  private String topic(String url) {
    try {
      return TopicUrl.normalize(at(Role.TOPIC, url));
    } catch (BadHubRequestException e) {
      return "none";
    }
  }

  private void readFollowings(List<Case> cases) {
    Map<String, String> reasons = new HashMap<>();
    for (String row :
        world
            .gateway()
            .rows()
            .query(
                """
                SELECT feed.topic, f.kind,
                  CASE WHEN f.state = 'REFUSED' THEN f.reason ELSE '' END
                FROM following f JOIN feed ON feed.id = f.feed_id
                """)) {
      String[] parts = row.split("\\|", 3);
      reasons.put(parts[0] + " " + parts[1], parts[2]);
    }
    for (int i = 0; i < cases.size(); i++) {
      String url = cases.get(i).url;
      boolean both = cases.get(i).verdict != Verdict.REACHED;
      String hub = originOfItsOwn("hub-" + i);
      String cloud = both ? hub : originOfItsOwn("cloud-" + i);
      outcome(Role.HUB).put(url, reasons.getOrDefault(hub + " WEBSUB", "it is no hub"));
      outcome(Role.CLOUD).put(url, reasons.getOrDefault(cloud + " RSSCLOUD", "it is no cloud"));
    }
  }

  private Map<String, String> outcome(Role role) {
    return outcomes.computeIfAbsent(role, any -> new ConcurrentHashMap<>());
  }

  @ParameterizedTest(name = "{0} {2}: {1}")
  @MethodSource("rolesOfCases")
  void a_URL_is_called_or_refused_as_the_list_says(Role role, Verdict verdict, String url) {
    String outcome = outcome(role).get(url);
    // Callbacks are kept byte for byte, so that they must be ASCII.
    boolean odd = role == Role.CALLBACK && !url.chars().allMatch(c -> c < 0x80);

    switch (odd ? Verdict.URL : verdict) {
      case REACHED -> assertThat(outcome).isEmpty();
      case ADDRESS -> assertThat(outcome).contains("must not be called");
      case PORT -> assertThat(outcome).contains("must not be called").contains("Port");
      case URL -> assertThat(outcome).isNotBlank();
    }
  }

  /** Whose names lead out when they are first looked up and inside from then on. */
  @Test
  void a_name_that_is_bound_anew_is_judged_anew() {
    try (RawHost server = RawHost.running(OutboundGuardTest::rebound);
        RawHost there = RawHost.inside(RawHost.INSIDE, server.port())) {
      String topic = server.at("rebound-topic.test", "/feed");
      String callback = server.at("rebound-callback.test", "/x");
      world.subscribe(topic, "of-rebound-topic");
      assertThat(world.gateway().subscribe(feed, callback, "hub.verify", "sync").statusCode())
          .isEqualTo(204);
      assertThat(registered(server.at("rebound-domain.test", "/x"))).isEmpty();
      for (String kind : List.of("hub", "cloud")) {
        world.subscribe(server.at("rebound-" + kind + ".test", "/" + kind), "of-" + kind);
      }

      world.origin().rss("feed.xml", "", "two", "one");
      world.publish(feed);
      world.publish(topic);

      var rows = world.gateway().rows();
      assertThat(rows.query("SELECT error FROM laggard WHERE host LIKE 'rebound-%'"))
          .hasSize(2)
          .allSatisfy(error -> assertThat(error).contains("must not be called"));
      assertThat(
              rows.query(
                  "SELECT fetched ->> 'message' FROM feed WHERE topic LIKE 'http://rebound-topic%'"))
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("must not be called");
      assertThat(rows.query("SELECT reason FROM following WHERE endpoint LIKE 'http://rebound-%'"))
          .hasSize(2)
          .allSatisfy(reason -> assertThat(reason).contains("must not be called"));
      assertThat(there.accepted()).isZero();
    }
  }

  /** A feed, a hub's and a cloud's feed, and a handler; each request needs a connection. */
  private static void rebound(RawHost.Talk talk) throws IOException {
    RawHost.Received asked = talk.read();
    if (asked == null) {
      return;
    }
    String port = asked.header("Host").orElseThrow().replaceFirst(".*:", "");
    String path = asked.target().replaceFirst("\\?.*", "");
    String answer =
        switch (path) {
          case "/feed" -> FakeOrigin.rssOf("", "one");
          case "/hub" ->
              FakeOrigin.rssOf(
                  "<atom:link rel=\"hub\" href=\"http://rebound-hub.test:%s/x\"/>".formatted(port),
                  "one");
          case "/cloud" ->
              FakeOrigin.rssOf(
                  "<source:cloud xmlns:source=\"https://source.scripting.com/\">http://rebound-cloud.test:%s/x</source:cloud>"
                      .formatted(port),
                  "one");
          default -> asked.target().replaceAll(".*challenge=([^&]*).*", "$1");
        };
    talk.send(RawHost.last("application/rss+xml", answer));
  }

  @Test
  void nobody_inside_was_called() {
    assertThat(inside).extracting(RawHost::accepted).containsOnly(0);
  }

  @Test
  void there_are_200_cases_at_least() {
    assertThat(cases().map(Case::url).distinct().count()).isGreaterThan(200);
  }
}
