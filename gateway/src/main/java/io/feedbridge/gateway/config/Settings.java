package io.feedbridge.gateway.config;

import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.guard.KnownHubs;
import io.feedbridge.gateway.guard.Limits;
import io.feedbridge.gateway.guard.RelayTarget;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.websub.LeasePolicy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that {@code serve} can be told.
 *
 * @param listen where to serve; port 0 takes any free one
 * @param publicUrl the base of every URL handed to others, without a trailing slash
 * @param storage where the gateway keeps its state
 * @param outbound which addresses may be called
 * @param hub the format and lease of WebSub subscriptions that ask for no other
 * @param polling the bounds of polling
 * @param retention how long events are kept, longer than subscribers are waited for (rule L13)
 * @param adminToken the token that operators must show; without one only this machine is served
 * @param serving how requests are taken
 * @param protection how the gateway guards itself
 * @param guarding the permissions and limits of strangers
 * @param tracing where traces of events go
 */
public record Settings(
    InetSocketAddress listen,
    URI publicUrl,
    Storage storage,
    Outbound outbound,
    Hub hub,
    Polling polling,
    Duration retention,
    Optional<Secret> adminToken,
    Serving serving,
    Protection protection,
    Guarding guarding,
    Tracing tracing) {

  private static final String LOCALHOST = "localhost";

  /** The folder of everything that is kept in files. */
  public Path data() {
    return storage.folder();
  }

  /** The URL that traces are posted to (OTLP 1.0, "OTLP/HTTP Request"); empty for none. */
  public Optional<URI> tracesUrl() {
    return tracing.collector().map(base -> URI.create(base + "/v1/traces"));
  }

  /** The same on another address; a public URL that was derived from the old one follows. */
  public Settings on(InetSocketAddress address) {
    boolean derived = publicUrl.equals(derivedUrl(listen, protection.tls().isPresent()));
    URI url = derived ? derivedUrl(address, protection.tls().isPresent()) : publicUrl;
    return new Settings(
        address,
        url,
        storage,
        outbound,
        hub,
        polling,
        retention,
        adminToken,
        serving,
        protection,
        guarding,
        tracing);
  }

  /**
   * The URL under which other nodes reach this one. A node that listens on every address is reached
   * by the name of its host.
   */
  public URI address() {
    return storage
        .address()
        .orElseGet(
            () ->
                listen.getAddress().isAnyLocalAddress()
                    ? URI.create("http://%s:%d".formatted(HostName.get(), listen.getPort()))
                    : derivedUrl(listen, false));
  }

  /** A gateway that listens on every address is reached, as far as it can know, on this machine. */
  public static URI derivedUrl(InetSocketAddress listen, boolean encrypted) {
    InetAddress address = listen.getAddress();
    String host = address.isAnyLocalAddress() ? "localhost" : address.getHostAddress();
    String authority = host.contains(":") ? "[" + host + "]" : host;
    String scheme = encrypted ? "https" : "http";
    return URI.create(scheme + "://" + authority + ":" + listen.getPort());
  }

  /**
   * Exceptions from the rule that no private address is called, as networks in CIDR notation.
   *
   * @param allowFetch where feeds, hubs and clouds may be
   * @param allowCallback where subscribers' callbacks may be
   * @param relays the servers that are told of changes
   * @param podping a Hive node that has the pings of Podping; absent for none
   * @param firehose a socket of FeedLand whose messages are pings; absent for none
   */
  public record Outbound(
      List<String> allowFetch,
      List<String> allowCallback,
      List<RelayTarget> relays,
      Optional<URI> podping,
      Optional<URI> firehose) {
    public Outbound {
      allowFetch = List.copyOf(allowFetch);
      allowCallback = List.copyOf(allowCallback);
      relays = List.copyOf(relays);
    }

    /** No server is told of changes. */
    public Outbound(List<String> allowFetch, List<String> allowCallback) {
      this(allowFetch, allowCallback, List.of(), Optional.empty(), Optional.empty());
    }
  }

  /**
   * The permissions and limits of strangers.
   *
   * @param topics the feeds that may be followed
   * @param callbacks the callbacks that may be called
   * @param limits the rates of such requests
   * @param trackers the callers that may subscribe to trackers
   */
  public record Guarding(
      UrlPatterns topics, UrlPatterns callbacks, Limits limits, TrackerPolicy trackers) {

    /** Any feed and callback, within the usual limits. */
    public static final Guarding DEFAULT =
        SettingsReader.guarding(OptionValues.read(Options.ALL, Map.of(), new Problems()));
  }

  /**
   * Where traces of events go.
   *
   * @param collector its base URL; absent for none
   * @param percent of the events that are traced
   */
  public record Tracing(Optional<URI> collector, int percent) {

    /** No event is traced. */
    public static final Tracing OFF = new Tracing(Optional.empty(), 0);
  }

  /**
   * The hub's defaults for subscriptions.
   *
   * @param format of a WebSub subscription that names none
   * @param leases how long subscriptions last
   * @param digestEvery the period of digests
   */
  public record Hub(Format format, LeasePolicy leases, Duration digestEvery) {}

  /**
   * How requests are taken.
   *
   * @param trustedProxies the networks of proxies whose {@code X-Forwarded-For} is believed, in
   *     CIDR notation
   * @param testFeedPeriod how often the test feed has a new item, at least a second
   * @param publicLog whether everyone may read the log
   * @param publicStream whether everyone may read the stream
   * @param publicMetrics whether every caller may read the meters
   * @param bridge which feeds have a bridged one
   */
  public record Serving(
      List<String> trustedProxies,
      Duration testFeedPeriod,
      boolean publicLog,
      boolean publicStream,
      boolean publicMetrics,
      BridgePolicy bridge) {

    public Serving {
      trustedProxies = List.copyOf(trustedProxies);
    }
  }

  /**
   * How often feeds are polled.
   *
   * @param min the shortest period, at least a second
   * @param max the longest, not shorter than {@code min}
   * @param backup the period of the poll that watches over a feed followed by push
   * @param hostPause between polls of one host; zero for none
   * @param pingQuiet how long pings that follow soon on a fetch wait for more of them; zero for not
   *     waiting
   * @param pingRecheck time until a pinged feed that turned out unchanged is fetched once more;
   *     zero for never
   * @param hubs of feeds that name none
   */
  public record Polling(
      Duration min,
      Duration max,
      Duration backup,
      Duration hostPause,
      Duration pingQuiet,
      Duration pingRecheck,
      KnownHubs hubs,
      GivenPaces paces) {}

  /**
   * How the gateway guards itself.
   *
   * @param keyFile of the key that secrets are encrypted with; absent for the one in the data
   *     folder
   * @param tls the files for TLS; absent for plain HTTP
   * @param connectionsPerAddress that may be open
   */
  public record Protection(Optional<Path> keyFile, Optional<Tls> tls, int connectionsPerAddress) {

    /** The values that hold unless the operator sets others. */
    public static final Protection USUAL =
        new Protection(Optional.empty(), Optional.empty(), Options.CONNECTIONS_PER_ADDRESS.usual());
  }

  /**
   * Where the gateway keeps its state and its log.
   *
   * @param folder of the files
   * @param database the JDBC URL of the store; absent for a file in the folder
   * @param node the name of this node
   * @param address the URL under which other nodes reach this one; absent for the address that it
   *     listens on
   * @param topic the topic that the log is written to; absent for none
   */
  public record Storage(
      Path folder,
      Optional<Secret> database,
      String node,
      Optional<URI> address,
      Optional<Topic> topic) {

    /** All state in the files of a folder. */
    public static Storage in(Path folder) {
      return new Storage(folder, Optional.empty(), LOCALHOST, Optional.empty(), Optional.empty());
    }
  }

  /**
   * A topic in Kafka.
   *
   * @param brokers hosts with their ports, separated by commas
   * @param name of the topic
   * @param format of the values of its records
   * @param properties the file with further properties of the client
   */
  public record Topic(
      String brokers, String name, RecordFormat format, Optional<Path> properties) {}

  /** The formats of a record's value. */
  public enum RecordFormat {
    /** The document. */
    JSON,
    /** An event in structured mode, which has the document as its data. */
    CLOUDEVENTS
  }

  /**
   * The files of a certificate and of its key, in PEM.
   *
   * @param plainRssCloud whether registrations and pings of rssCloud are taken without TLS too
   */
  public record Tls(Path certificate, Path key, boolean plainRssCloud) {}
}
