package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.Gateway;
import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.address.DnsResolver;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.config.SettingsReader;
import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.guard.KnownHubs;
import io.feedbridge.gateway.guard.RelayTarget;
import io.feedbridge.gateway.offline.NewUser;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sqlite.EmptyStore;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.websub.LeasePolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The gateway in this process, on a free port, with loopback allowed unless a test says otherwise.
 * With {@code -Dfeedbridge.nodes=three} the gateway is three nodes behind a balancer, two of which
 * own nothing.
 */
public final class TestGateway implements AutoCloseable {

  /** The networks that fakes live in. */
  public static final List<String> LOOPBACK = List.of("127.0.0.0/8", "::1/128");

  private static final String TOKEN = "the-token-of-the-operator";

  private static final boolean THREE_NODES =
      System.getProperty("feedbridge.nodes", "").equals("three");

  private final @Nullable Gateway alone;
  private final @Nullable ThreeNodes nodes;
  private final URI publicUrl;
  private final Path data;
  private final StoredRows rows;
  private final Http http;

  private TestGateway(Settings settings) {
    this(settings, DnsResolver::new);
  }

  private TestGateway(Settings settings, OutboundClient.Resolving resolving) {
    this(settings, resolving, Clock.systemUTC());
  }

  private TestGateway(Settings settings, OutboundClient.Resolving resolving, Clock clock) {
    this(settings, new OutboundClient.Network(resolving, null), clock, new Http());
  }

  private TestGateway(Settings settings, OutboundClient.Network network, Clock clock, Http http) {
    this.http = http;
    data = settings.data();
    publicUrl = settings.publicUrl();
    if (THREE_NODES) {
      nodes = new ThreeNodes(settings, clock);
      alone = null;
      rows = StoredRows.at(nodes.database());
      return;
    }
    nodes = null;
    EmptyStore.in(data);
    rows = new StoredRows(data);
    try {
      alone = Gateway.start(settings, clock, network);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Gateway gateway() {
    return Objects.requireNonNull(alone, "the test needs a gateway in this process");
  }

  /** A gateway that may call loopback addresses, on a data folder. */
  public static TestGateway on(Path data) {
    return with(data, LOOPBACK, LOOPBACK, Duration.ofMinutes(1));
  }

  /** A gateway with these exceptions from the rule that no private address is called. */
  public static TestGateway with(
      Path data, List<String> allowFetch, List<String> allowCallback, Duration pollMin) {
    return with(data, allowFetch, allowCallback, pollMin, Format.ATOM);
  }

  /** One that has this system clock and polls that often. */
  public static TestGateway timedBy(Clock clock, Path data, Duration pollMin) {
    return new TestGateway(
        settings(data, LOOPBACK, LOOPBACK, pollMin, Format.ATOM), DnsResolver::new, clock);
  }

  /** The same with another format for WebSub subscriptions that name none. */
  public static TestGateway with(
      Path data,
      List<String> allowFetch,
      List<String> allowCallback,
      Duration pollMin,
      Format hubFormat) {
    return new TestGateway(settings(data, allowFetch, allowCallback, pollMin, hubFormat));
  }

  /**
   * One that hardly ever polls, has a certificate, is known by an https URL and knows named hosts
   * alone. Its API is called with the operator's token.
   *
   * @param options more of them, each with {@code =} and its value
   */
  public static TestGateway named(Path data, URI publicUrl, NamedHosts hosts, String... options) {
    int port = FreePort.next();
    hosts.open(publicUrl, port);
    Stream<String> usual =
        Stream.of(
            "--listen=127.0.0.1:" + port,
            "--public-url=" + publicUrl,
            "--data=" + data,
            "--admin-token=" + TOKEN,
            "--tls-cert=" + hosts.certificateFile(),
            "--tls-key=" + hosts.keyFile(),
            "--allow-fetch=127.0.0.0/8",
            "--allow-callback=127.0.0.0/8",
            "--hub-format=atom",
            "--bridge=open",
            "--poll-min=1h",
            "--poll-max=2h",
            "--host-pause=0",
            "--ping-quiet=0",
            "--ping-recheck=0");
    Settings settings =
        SettingsReader.of(Stream.concat(usual, Stream.of(options)).toArray(String[]::new));
    return new TestGateway(
        settings, hosts.network(), Clock.systemUTC(), hosts.http().showing(TOKEN));
  }

  /** One that hardly ever polls, may call one network, and looks names up so. */
  public static TestGateway resolving(
      Path data, String allowed, OutboundClient.Resolving resolving) {
    List<String> networks = List.of(allowed);
    return new TestGateway(
        settings(data, networks, networks, Duration.ofHours(1), Format.ATOM), resolving);
  }

  /**
   * One that guards so, hardly ever polls, and believes {@code X-Forwarded-For}: a request with one
   * is that caller's, a request without is an operator's.
   */
  public static TestGateway guarding(
      Path data,
      Settings.Guarding guarding,
      Duration hostPause,
      OutboundClient.Resolving resolving) {
    Settings usual = settings(data, LOOPBACK, LOOPBACK, Duration.ofHours(1), Format.ATOM);
    Settings.Polling polling = usual.polling();
    return new TestGateway(
        new Settings(
            usual.listen(),
            usual.publicUrl(),
            Settings.Storage.in(data),
            usual.outbound(),
            usual.hub(),
            new Settings.Polling(
                polling.min(),
                polling.max(),
                polling.backup(),
                hostPause,
                Duration.ZERO,
                Duration.ZERO,
                KnownHubs.USUAL,
                GivenPaces.NONE),
            usual.retention(),
            Optional.empty(),
            serving(BridgePolicy.OPEN, "127.0.0.0/8"),
            Settings.Protection.USUAL,
            guarding,
            Settings.Tracing.OFF),
        resolving);
  }

  /** GET by somebody behind the proxy. */
  public HttpResponse<String> getBy(String caller, String path) {
    return http.get(url(path), "X-Forwarded-For", caller);
  }

  /** POST of a form by somebody behind the proxy, as alternating names and values. */
  public HttpResponse<String> formBy(String caller, String path, String... namesAndValues) {
    byte[] form = Http.encode(namesAndValues).getBytes(StandardCharsets.UTF_8);
    return post(path, "application/x-www-form-urlencoded", form, "X-Forwarded-For", caller);
  }

  /** One that hardly ever polls, and tells servers of changes by the rules of {@code --relay}. */
  public static TestGateway relaying(Path data, int port, List<String> rules) {
    return new TestGateway(
        usual(
            port,
            URI.create("http://127.0.0.1:" + port),
            data,
            new Settings.Outbound(
                LOOPBACK, LOOPBACK, RelayTarget.of(rules), Optional.empty(), Optional.empty()),
            new Settings.Hub(Format.ATOM, LeasePolicy.DEFAULT, Duration.ofHours(24)),
            Duration.ofHours(1),
            Optional.empty()));
  }

  /** One that hardly ever polls, and listens at a socket of FeedLand. */
  public static TestGateway listening(Path data, URI firehose) {
    int port = FreePort.next();
    return new TestGateway(
        usual(
            port,
            URI.create("http://127.0.0.1:" + port),
            data,
            new Settings.Outbound(
                LOOPBACK, LOOPBACK, List.of(), Optional.empty(), Optional.of(firehose)),
            new Settings.Hub(Format.ATOM, LeasePolicy.DEFAULT, Duration.ofHours(24)),
            Duration.ofHours(1),
            Optional.empty()));
  }

  /** Settings with usual protection and limits, on this machine alone. */
  private static Settings usual(
      int port,
      URI publicUrl,
      Path data,
      Settings.Outbound outbound,
      Settings.Hub hub,
      Duration pollMin,
      Optional<Secret> adminToken) {
    return new Settings(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        publicUrl,
        Settings.Storage.in(data),
        outbound,
        hub,
        new Settings.Polling(
            pollMin,
            pollMin.multipliedBy(2),
            Duration.ofHours(24),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ZERO,
            KnownHubs.USUAL,
            GivenPaces.NONE),
        Duration.ofDays(7),
        adminToken,
        serving(BridgePolicy.OPEN),
        Settings.Protection.USUAL,
        Settings.Guarding.DEFAULT,
        Settings.Tracing.OFF);
  }

  private static Settings.Serving serving(BridgePolicy bridge, String... trustedProxies) {
    return new Settings.Serving(
        List.of(trustedProxies), Duration.ofMinutes(15), false, false, false, bridge);
  }

  private static Settings settings(
      Path data,
      List<String> allowFetch,
      List<String> allowCallback,
      Duration pollMin,
      Format hubFormat) {
    int port = FreePort.next();
    return usual(
        port,
        URI.create("http://127.0.0.1:" + port),
        data,
        new Settings.Outbound(allowFetch, allowCallback),
        new Settings.Hub(hubFormat, LeasePolicy.DEFAULT, Duration.ofHours(24)),
        pollMin,
        Optional.empty());
  }

  /** A gateway on a port, under a public URL, that asks operators for a token or not. */
  public static TestGateway guarded(
      Path data, int port, URI publicUrl, Optional<Secret> adminToken) {
    return new TestGateway(guardedBy(data, port, publicUrl, adminToken));
  }

  /** One that asks operators for a token, known by its loopback URL, with this system clock. */
  public static TestGateway guarded(Clock clock, Path data, Secret adminToken) {
    int port = FreePort.next();
    URI publicUrl = URI.create("http://127.0.0.1:" + port);
    return new TestGateway(
        guardedBy(data, port, publicUrl, Optional.of(adminToken)), DnsResolver::new, clock);
  }

  /** One that asks operators for a token, and lets everyone read the stream and the log. */
  public static TestGateway streaming(Clock clock, Path data, Secret adminToken) {
    int port = FreePort.next();
    Settings usual =
        guardedBy(data, port, URI.create("http://127.0.0.1:" + port), Optional.of(adminToken));
    return new TestGateway(
        new Settings(
            usual.listen(),
            usual.publicUrl(),
            usual.storage(),
            usual.outbound(),
            usual.hub(),
            usual.polling(),
            usual.retention(),
            usual.adminToken(),
            new Settings.Serving(
                List.of(), Duration.ofMinutes(15), true, true, false, BridgePolicy.OPEN),
            usual.protection(),
            usual.guarding(),
            usual.tracing()),
        DnsResolver::new,
        clock);
  }

  /** One that hardly ever polls, on a port and with this system clock. */
  public static TestGateway timedBy(Clock clock, Path data, int port) {
    URI publicUrl = URI.create("http://127.0.0.1:" + port);
    return new TestGateway(
        guardedBy(data, port, publicUrl, Optional.empty()), DnsResolver::new, clock);
  }

  private static Settings guardedBy(
      Path data, int port, URI publicUrl, Optional<Secret> adminToken) {
    return usual(
        port,
        publicUrl,
        data,
        new Settings.Outbound(LOOPBACK, LOOPBACK),
        new Settings.Hub(Format.ATOM, LeasePolicy.DEFAULT, Duration.ofHours(24)),
        Duration.ofHours(1),
        adminToken);
  }

  /** One that hardly ever polls and sends its traces to a collector. */
  public static TestGateway tracedTo(URI collector, Path data) {
    Settings usual = settings(data, LOOPBACK, LOOPBACK, Duration.ofHours(1), Format.ATOM);
    return new TestGateway(
        new Settings(
            usual.listen(),
            usual.publicUrl(),
            usual.storage(),
            usual.outbound(),
            usual.hub(),
            usual.polling(),
            usual.retention(),
            usual.adminToken(),
            usual.serving(),
            usual.protection(),
            usual.guarding(),
            new Settings.Tracing(Optional.of(collector), 100)),
        DnsResolver::new,
        Clock.systemUTC());
  }

  /** A gateway that hardly ever polls and guards itself like that, known by its loopback URL. */
  public static TestGateway protectedBy(Path data, Settings.Protection protection) {
    Settings usual = settings(data, LOOPBACK, LOOPBACK, Duration.ofHours(1), Format.ATOM);
    return new TestGateway(
        new Settings(
            usual.listen(),
            Settings.derivedUrl(usual.listen(), protection.tls().isPresent()),
            Settings.Storage.in(data),
            usual.outbound(),
            usual.hub(),
            usual.polling(),
            usual.retention(),
            Optional.empty(),
            serving(BridgePolicy.FOLLOWED),
            protection,
            Settings.Guarding.DEFAULT,
            Settings.Tracing.OFF));
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), publicUrl.getPort());
  }

  /** A gateway that hardly ever polls, with that policy for bridged feeds. */
  public static TestGateway bridging(Path data, BridgePolicy bridge) {
    Settings usual = settings(data, LOOPBACK, LOOPBACK, Duration.ofHours(1), Format.ATOM);
    return new TestGateway(
        new Settings(
            usual.listen(),
            usual.publicUrl(),
            Settings.Storage.in(data),
            usual.outbound(),
            usual.hub(),
            usual.polling(),
            usual.retention(),
            Optional.empty(),
            serving(bridge),
            Settings.Protection.USUAL,
            Settings.Guarding.DEFAULT,
            Settings.Tracing.OFF));
  }

  /** What it serves. */
  public Router router() {
    return gateway().router();
  }

  /** The URL of a path, which starts with a slash. */
  public String url(String path) {
    return publicUrl + path;
  }

  /** POST of a form given as alternating names and values. */
  public HttpResponse<String> form(String path, String... namesAndValues) {
    return http.form(url(path), namesAndValues);
  }

  /** GET. */
  public HttpResponse<String> get(String path) {
    return http.get(url(path));
  }

  /** POST of a body, with alternating names and values of further headers. */
  public HttpResponse<String> post(
      String path, String contentType, byte[] body, String... headers) {
    return http.post(url(path), contentType, body, headers).join();
  }

  /** GET with the operator's token of {@link #named}, where it is no request of the API. */
  public HttpResponse<String> getAsOperator(String path) {
    return http.get(url(path), "Authorization", "Bearer " + TOKEN);
  }

  /** A request without a body. */
  public HttpResponse<String> send(String method, String path) {
    return http.send(method, url(path));
  }

  /** A request with a body of JSON. */
  public HttpResponse<String> json(String method, String path, String body) {
    return http.json(method, url(path), body);
  }

  /** A WebSub subscription request, with further parameters. */
  public HttpResponse<String> subscribe(String topic, String callback, String... more) {
    String[] form = new String[6 + more.length];
    String[] base = {"hub.mode", "subscribe", "hub.topic", topic, "hub.callback", callback};
    System.arraycopy(base, 0, form, 0, base.length);
    System.arraycopy(more, 0, form, base.length, more.length);
    return form("/hub", form);
  }

  /** An rssCloud registration of a subscriber's path. */
  public HttpResponse<String> pleaseNotify(FakeSubscriber subscriber, String path, String feed) {
    return form(
        "/pleaseNotify",
        "notifyProcedure",
        "",
        "domain",
        "127.0.0.1",
        "port",
        Integer.toString(subscriber.port()),
        "path",
        "/" + path,
        "protocol",
        "http-post",
        "url1",
        feed);
  }

  /** The value of a meter without labels, or of one line with them, as {@code /metrics} has it. */
  public double meter(String line) {
    String metrics = nodes == null ? url("/metrics") : nodes.ownerUrl("/metrics");
    return Metrics.value(http.get(metrics).body(), line);
  }

  /** Makes a user who may save a feed, as the operator does; returns the password. */
  public String addUser(String login) {
    return newUser().add(login, false).orElseThrow();
  }

  /** Gives a login a token with these rights, as the operator does; returns the token. */
  public String addToken(String login, Right... rights) {
    return newUser().addToken(login, Set.of(rights)).orElseThrow();
  }

  private NewUser newUser() {
    return NewUser.in(
        data,
        Optional.ofNullable(nodes).map(three -> new Secret(three.database())),
        Clock.systemUTC());
  }

  /** Changes the store of a gateway that has stopped. */
  public static void change(Path data, String sql) {
    if (THREE_NODES) {
      StoredRows.changeAt(ThreeNodes.databaseOf(data), sql);
    } else {
      StoredRows.change(data, sql);
    }
  }

  /** What is stored. */
  public StoredRows rows() {
    return rows;
  }

  /** The store itself, to do to it what the world may do. */
  public Store store() {
    return gateway().store();
  }

  /** Waits until all that came in is worked off: fetched, verified, and sent to whom it is due. */
  public void settle() {
    World.until(rows::settled);
  }

  @Override
  public void close() {
    if (nodes == null) {
      gateway().close();
    } else {
      nodes.close();
    }
  }
}
