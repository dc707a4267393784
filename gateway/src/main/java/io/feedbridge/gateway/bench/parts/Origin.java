package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.bench.data.Hosts;
import io.feedbridge.gateway.bench.data.SampleFeed;
import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** Serves the feeds, on as many loopback addresses as the gateway is to see hosts. */
final class Origin implements Talk.Role {

  private final EventLoopGroup loop = Transport.best().newGroup(1, "origin");
  private final Clock clock;
  private final List<HttpServer> servers = new ArrayList<>();
  private volatile SampleFeed feed = new SampleFeed(1, 0);
  private volatile int version = SampleFeed.FIRST_VERSION;

  /** The documents of this version that were made beforehand, by the feed's number. */
  private volatile List<byte[]> documents = List.of();

  Origin(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Object asked(String... words) throws IOException {
    return switch (words[0]) {
      case "listen" -> listen(Integer.parseInt(words[1]));
      case "feeds" -> {
        feed = new SampleFeed(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
        yield Map.of();
      }
      case "publish" -> {
        version = Integer.parseInt(words[1]);
        documents = List.of();
        yield Map.of();
      }
      case "prepare" -> {
        documents =
            IntStream.range(0, Integer.parseInt(words[1]))
                .mapToObj(number -> document(number, version))
                .toList();
        yield Map.of();
      }
      default -> throw new IllegalArgumentException("unknown: " + words[0]);
    };
  }

  private Map<String, Object> listen(int hosts) throws IOException {
    int port = 0;
    Router routes = Router.builder().route("GET", "/feed/{number}", this::serve).build();
    for (int host = 0; host < hosts; host++) {
      HttpServer server =
          new HttpServer(
              new ServerConfig(
                  loop,
                  loop,
                  Transport.best().serverChannelClass(),
                  routes,
                  ServerLimits.DEFAULT,
                  ServerObserver.NONE,
                  clock));
      server.start(new InetSocketAddress(Hosts.inetAddress(host), port));
      servers.add(server);
      port = server.address().getPort();
    }
    return Map.of("port", port);
  }

  private CompletionStage<Response> serve(Request request) {
    int number = Integer.parseInt(request.pathVariables().getOrDefault("number", "0"));
    int now = version;
    String tag = "\"%d-%d\"".formatted(number, now);
    if (request.header("If-None-Match").filter(tag::equals).isPresent()) {
      return CompletableFuture.completedFuture(Response.empty(304).withHeader("ETag", tag));
    }
    List<byte[]> made = documents;
    byte[] document = number < made.size() ? made.get(number) : document(number, now);
    return CompletableFuture.completedFuture(
        Response.of(200, SampleFeed.CONTENT_TYPE, document).withHeader("ETag", tag));
  }

  private byte[] document(int number, int version) {
    return feed.document(Hosts.feedPath(number), number, version);
  }
}
