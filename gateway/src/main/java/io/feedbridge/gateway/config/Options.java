package io.feedbridge.gateway.config;

import static io.feedbridge.gateway.config.Option.Section.ACCESS;
import static io.feedbridge.gateway.config.Option.Section.HOSTS;
import static io.feedbridge.gateway.config.Option.Section.HUB;
import static io.feedbridge.gateway.config.Option.Section.OTHER;
import static io.feedbridge.gateway.config.Option.Section.POLLING;
import static io.feedbridge.gateway.config.Option.Section.SERVING;
import static io.feedbridge.gateway.config.Option.Section.STORE;

import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.config.Option.Section;
import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.guard.KnownHubs;
import io.feedbridge.gateway.guard.RelayTarget;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.store.subscriptions.Format;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The table of the options of {@code serve}. An option stands here and where it is used. */
public final class Options {

  /** The table; closed by {@link #ALL}. */
  private static final Stream.Builder<Option<?>> TABLE = Stream.builder();

  private static final Kind<Boolean> FLAG = Kind.flag();
  private static final Kind<Path> FILE = Kind.file();
  private static final Kind<Duration> PERIOD = Kind.time("1s", "365d");
  private static final Kind<Duration> PAUSE = Kind.time("0", "1h");
  private static final Kind<List<String>> NETWORKS = Kind.networks();
  private static final Kind<UrlPatterns> PATTERNS = Kind.patterns();

  public static final Option<InetSocketAddress> LISTEN =
      option(
          SERVING, Kind.socket(), "--listen=127.0.0.1:5337", "The address and port to serve on.");
  public static final Option<URI> PUBLIC_URL =
      option(
          SERVING,
          Kind.site(),
          "--public-url",
          "The base of every URL that the gateway hands to other hosts. By default it is derived"
              + " from --listen.");
  public static final Option<Path> TLS_CERT =
      option(
          SERVING,
          FILE,
          "--tls-cert",
          "The certificate to serve HTTPS with, as PEM, with the rest of its chain after it. When"
              + " the file changes, new connections use the new certificate. Without it HTTP is"
              + " served.");
  public static final Option<Path> TLS_KEY =
      option(
          SERVING,
          FILE,
          "--tls-key",
          "The private key of the certificate, as PEM, without a passphrase.");
  public static final Option<Boolean> RSSCLOUD_OVER_HTTP =
      option(
          SERVING,
          FLAG,
          "--rsscloud-over-http=false",
          "With a certificate: also serve the registrations and pings of rssCloud without TLS at"
              + " the same port, for programs that call every cloud by http. Other requests without"
              + " TLS are answered by a redirect to https.");
  public static final Option<List<String>> TRUST_PROXY =
      option(
          SERVING,
          NETWORKS,
          "--trust-proxy",
          "Networks of proxies whose X-Forwarded-For is believed: for limits, and when an rssCloud"
              + " aggregator registers its own address. Without this option the address of the"
              + " connection counts.");
  public static final Option<Integer> CONNECTIONS_PER_ADDRESS =
      option(
          SERVING,
          Kind.count(1, 100_000),
          "--connections-per-address=" + ServerLimits.DEFAULT.connectionsOfOne(),
          "How many connections one address may have open (of IPv6, one /64); further ones are"
              + " closed. The limit does not hold for trusted proxies.");
  public static final Option<Path> DATA =
      option(
          STORE,
          Kind.folder(),
          "--data=./feedbridge-data",
          "The folder of the embedded store. One gateway at a time uses it, and makes it if it does"
              + " not exist.");
  public static final Option<Secret> STORE_URL =
      option(
          STORE,
          Kind.database(),
          "--store",
          "The PostgreSQL database that the store is kept in, as a JDBC URL with user and password;"
              + " the data folder then holds the key file and the record of attempts. One of the"
              + " gateways that share a database owns the store, the others are standbys. Without it"
              + " the store is a file in the data folder.");
  public static final Option<String> NODE =
      option(
          STORE,
          Kind.node(),
          "--node",
          "The name of this node in /api/v1/cluster. Default: the name of the host.");
  public static final Option<URI> ADVERTISE =
      option(
          STORE,
          Kind.site(),
          "--advertise",
          "The http or https URL under which the other nodes of --store reach this node: they pass"
              + " on to it the requests that the owner of the store answers. Default: http, the"
              + " address of --listen (the name of the host if that is every address) and its"
              + " port.");
  public static final Option<Path> KEY_FILE =
      option(
          STORE,
          FILE,
          "--key-file",
          "The key that encrypts the secrets in the store. It is made if it does not exist, and"
              + " must be backed up with the store: without it a store that has secrets is"
              + " refused. Default: feedbridge-secrets.key in the data folder.");
  public static final Option<Path> TMP =
      option(
          STORE,
          Kind.folder(),
          "--tmp",
          "The folder in which native libraries are unpacked. Its file system must permit"
              + " execution. Default: the data folder, which does not work if its file system is"
              + " mounted noexec.");
  public static final Option<Duration> RETENTION =
      option(
          STORE,
          Kind.time("73h", "365d"),
          "--retention=7d",
          "How long events are kept in the log: longer than the 72h during which subscribers are"
              + " waited for. The ends of subscriptions are kept as long. Each feed's newest 50"
              + " entries are kept for good.");
  public static final Option<Secret> ADMIN_TOKEN =
      option(
          ACCESS,
          Kind.secret(16, 1_024),
          "--admin-token",
          "The token that operators must show to use the API, as a Bearer token or as the password"
              + " of HTTP Basic. Without one the API is open to this machine alone, and closed if"
              + " --public-url is not loopback. Other users of this machine can read the command"
              + " line: the environment or a file is safer.");
  public static final Option<Boolean> PUBLIC_LOG =
      option(
          ACCESS,
          FLAG,
          "--public-log=false",
          "Open the log of recent actions, /log, to all callers, so that developers can debug their"
              + " clients. Otherwise it has the access rule of the API.");
  public static final Option<Boolean> PUBLIC_STREAM =
      option(
          ACCESS,
          FLAG,
          "--public-stream=false",
          "Open the live stream of all events, /stream, to all callers. Otherwise it has the access"
              + " rule of the API.");
  public static final Option<Boolean> PUBLIC_METRICS =
      option(
          ACCESS,
          FLAG,
          "--public-metrics=false",
          "Open the metrics, /metrics, to all callers. Otherwise they have the access rule of the"
              + " API.");
  public static final Option<BridgePolicy> BRIDGE =
      option(
          ACCESS,
          Kind.choice(List.of(BridgePolicy.OPEN, BridgePolicy.FOLLOWED, BridgePolicy.OFF)),
          "--bridge",
          "The feeds that have a bridged feed at /feed.atom, /feed.rss and /feed.json: open for any"
              + " feed, which is followed from the first request on, followed for followed feeds,"
              + " off for none. Default: followed; open when --listen and --public-url are"
              + " loopback.");
  public static final Option<TrackerPolicy> TRACKERS =
      option(
          ACCESS,
          Kind.choice(List.of(TrackerPolicy.OPEN, TrackerPolicy.LOGIN, TrackerPolicy.OFF)),
          "--trackers",
          "The callers that may subscribe to trackers, /track?query=, which collect the entries of"
              + " public feeds: open for all callers, login for callers of the hub with the token"
              + " of a login that may subscribe, or with the admin token, off for none. With open"
              + " the feeds of a list are followed for all its subscribers, otherwise for"
              + " subscribers with a login and for operators. Default: login with an admin token,"
              + " open without one.");
  public static final Option<List<String>> ALLOW_FETCH =
      option(
          HOSTS,
          NETWORKS,
          "--allow-fetch",
          "Networks that feeds, hubs and clouds may be in although they are loopback, private or"
              + " link-local. Without this option none of these networks is permitted.");
  public static final Option<List<String>> ALLOW_CALLBACK =
      option(HOSTS, NETWORKS, "--allow-callback", "The same for subscribers' callbacks.");
  public static final Option<List<RelayTarget>> RELAY =
      option(
          HOSTS,
          Kind.relays(),
          "--relay",
          "Servers that are told of changes of feeds, each PATTERN=PROTOCOL:URL with the feeds of the"
              + " pattern: hub (publish of WebSub), cloud (ping of rssCloud), weblogs"
              + " (weblogUpdates.ping), or get, whose URL has {url} or {page}, as in"
              + " *.example.org=hub:https://hub.example.org/.");
  public static final Option<URI> PODPING =
      option(
          HOSTS,
          Kind.site(),
          "--podping",
          "A Hive API node, such as https://api.hive.blog. Messages of Podping for followed feeds are"
              + " light pings.");
  public static final Option<URI> FIREHOSE =
      option(
          HOSTS,
          Kind.webSocket(),
          "--firehose",
          "The socket of a FeedLand or rss.chat server, such as wss://feedland.org/. Its messages"
              + " about followed feeds are light pings.");
  public static final Option<UrlPatterns> TOPICS =
      option(
          HOSTS,
          PATTERNS,
          "--topics",
          "The topics that may be followed, as patterns: hosts (example.org, *.example.org for the"
              + " hosts below it, * for all), with a scheme, a port or the beginning of a path if"
              + " needed (https://example.org/feeds/). A pattern with ! before it denies, and no"
              + " other pattern overrides it. @FILE names a file of patterns, one a line. Without"
              + " this option all topics may be followed.");
  public static final Option<UrlPatterns> CALLBACKS =
      option(HOSTS, PATTERNS, "--callbacks", "The same for callbacks that may be called.");

  static {
    LimitOptions.ALL.forEach(TABLE::add);
  }

  public static final Option<Duration> POLL_MIN =
      option(POLLING, PERIOD, "--poll-min=60s", "The shortest period at which a feed is polled.");
  public static final Option<Duration> POLL_MAX =
      option(POLLING, PERIOD, "--poll-max=24h", "The longest period at which a feed is polled.");
  public static final Option<Duration> BACKUP_POLL =
      option(
          POLLING,
          PERIOD,
          "--backup-poll=24h",
          "The longest period of the poll that watches over a feed followed by push; it is shorter"
              + " for feeds with many new entries.");
  public static final Option<Duration> HOST_PAUSE =
      option(
          POLLING,
          PAUSE,
          "--host-pause=500ms",
          "The pause between polls of one host, 0 for none. Pings and first fetches do not wait for"
              + " it.");
  public static final Option<Duration> PING_QUIET =
      option(
          POLLING,
          PAUSE,
          "--ping-quiet=400ms",
          "How long a ping within a second of a fetch waits for further pings, so that one fetch"
              + " serves all; 0 for no wait.");
  public static final Option<Duration> PING_RECHECK =
      option(
          POLLING,
          PAUSE,
          "--ping-recheck=30s",
          "The time after which a pinged but unchanged feed is fetched once more, 0 for never: some"
              + " publishers ping before their own caches are renewed.");
  public static final Option<KnownHubs> HUB_FOR =
      option(
          POLLING,
          Kind.hubs(),
          "--hub-for",
          "Hubs of feeds that name none, each as PATTERN=HUB with a pattern as for --topics:"
              + " https://example.org/feeds/=https://hub.example.org/. YouTube's is known. A feed is"
              + " subscribed to there by the URL that its document comes from.");
  public static final Option<GivenPaces> PACE =
      option(
          POLLING,
          Kind.paces(),
          "--pace",
          "The pace of requests to sites, each as PATTERN=N/DURATION: reddit.com=1/60s. A pattern is"
              + " a host, which stands for the hosts below it too, or *. and a host for the hosts"
              + " below it alone; all hosts of a pattern share its pace, and redirects count."
              + " The pace of any other site is learnt from its answers.");
  public static final Option<Format> HUB_FORMAT =
      option(
          HUB,
          Kind.choice(List.of(Format.AUTO, Format.ATOM, Format.RAW)),
          "--hub-format=auto",
          "The format of a WebSub subscription that names none: auto (the new entries in the topic's"
              + " own family, RSS, Atom or JSON Feed, and its media type, with the origin's ids),"
              + " atom (the new entries as the Superfeedr Atom) or raw (the topic's own bytes).");
  public static final Option<Duration> LEASE_DEFAULT =
      option(
          HUB,
          PERIOD,
          "--lease-default=10d",
          "The lease of a WebSub subscription that requests none.");
  public static final Option<Duration> LEASE_MIN =
      option(
          HUB,
          PERIOD,
          "--lease-min=1m",
          "The shortest lease of a WebSub subscription; a shorter requested lease becomes this one.");
  public static final Option<Duration> LEASE_MAX =
      option(
          HUB,
          PERIOD,
          "--lease-max=30d",
          "The longest lease of a WebSub subscription; a longer requested lease becomes this one.");
  public static final Option<Duration> DIGEST_EVERY =
      option(
          HUB,
          Kind.time("1h", "30d"),
          "--digest-every=24h",
          "How often a subscription with superfeedr.digest=true is sent the newest entries of the"
              + " feed together, even if none is new.");
  public static final Option<String> KAFKA =
      option(
          Section.KAFKA,
          Kind.brokers(),
          "--kafka",
          "The brokers of a Kafka cluster, to which all events are written. Needs"
              + " feedbridge-kafka.jar beside feedbridge.jar.");
  public static final Option<String> KAFKA_TOPIC =
      option(
          Section.KAFKA,
          Kind.topic(),
          "--kafka-topic=feedbridge.events",
          "The topic of all events. Its position is in a second topic, with .cursor behind the name."
              + " The gateway makes both if they do not exist.");
  public static final Option<Settings.RecordFormat> KAFKA_FORMAT =
      option(
          Section.KAFKA,
          Kind.choice(List.of(Settings.RecordFormat.values())),
          "--kafka-format=json",
          "The value of a record: json (the document) or cloudevents (a CloudEvent in structured"
              + " mode, which has the document as its data).");
  public static final Option<Path> KAFKA_CONFIG =
      option(
          Section.KAFKA,
          FILE,
          "--kafka-config",
          "A properties file with properties of Kafka's client, such as security.protocol and"
              + " sasl.jaas.config.");
  public static final Option<URI> OTLP =
      option(
          OTHER,
          Kind.site(),
          "--otlp",
          "The collector that traces of events are sent to by OTLP over HTTP, such as"
              + " http://127.0.0.1:4318: from the ping to each delivery, which gets the trace in"
              + " traceparent. Without it no event is traced.");
  public static final Option<Integer> OTLP_PERCENT =
      option(
          OTHER,
          Kind.count(1, 100),
          "--otlp-percent=100",
          "How many of a hundred events are traced. The choice follows from the event, so that a"
              + " trace is whole.");
  public static final Option<Duration> TEST_FEED_PERIOD =
      option(
          OTHER,
          PERIOD,
          "--test-feed-period=15m",
          "How often the feed to test aggregators with, /test/feed.xml, has a new item.");

  /** Looked for before the others are read, since it supplies them. */
  public static final Option<Path> CONFIG =
      option(
          OTHER,
          FILE,
          "--config",
          "The properties file of the gateway, with further options; or a folder, of which"
              + " feedbridge.properties is read and then each conf.d/*.properties by name, and the"
              + " later value wins.");

  /** All of them, in their order. */
  public static final List<Option<?>> ALL = TABLE.build().toList();

  private Options() {}

  /** A secret gets an option for the file that holds it, too. */
  private static <T> Option<T> option(Section section, Kind<T> kind, String line, String text) {
    Option<T> option = Option.of(section, kind, line, text);
    TABLE.add(option);
    if (kind.form() == Kind.Form.SECRET) {
      String twin = "The file that holds the secret, in place of %s.".formatted(option.name());
      TABLE.add(Option.of(section, FILE, SecretFile.option(option.name()), twin));
    }
    return option;
  }
}
