package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The origin of a feed that names to each of some gateways the next one as the way to follow it,
 * and the first to the last. The first requests of all gateways are answered together, so that each
 * asks the next one in the same moment.
 */
public final class RingOrigin implements AutoCloseable {

  private final StubServer server =
      new StubServer(request -> serve(request).thenApply(StubServer::definition));
  private final List<String> gateways;
  private final Through through;
  private final Set<Integer> here = ConcurrentHashMap.newKeySet();
  private final CompletableFuture<Void> together = new CompletableFuture<>();
  private volatile String[] items = {"one"};

  /** What the feed names. */
  public enum Through {
    HUBS {
      @Override
      String element(String gateway, int number) {
        return "<atom:link rel=\"hub\" href=\"" + gateway + "/hub\"/>";
      }
    },
    CLOUDS {
      @Override
      String element(String gateway, int number) {
        return ("<cloud domain=\"127.0.0.1\" port=\"%d\" path=\"/pleaseNotify\""
                + " registerProcedure=\"\" protocol=\"http-post\"/>")
            .formatted(URI.create(gateway).getPort());
      }
    },
    /** A hub to one gateway, a cloud to the next. */
    BOTH {
      @Override
      String element(String gateway, int number) {
        return (number % 2 == 0 ? HUBS : CLOUDS).element(gateway, number);
      }
    };

    abstract String element(String gateway, int number);
  }

  /** A feed for the gateways under these URLs, which stand in their {@code User-Agent}. */
  public RingOrigin(List<String> gateways, Through through) {
    this.gateways = List.copyOf(gateways);
    this.through = through;
  }

  /** The feed. */
  public String topic() {
    return server.url() + "/feed.xml";
  }

  /** The feed has these items from now on, the newest first. */
  public void publish(String... newest) {
    items = newest;
  }

  private CompletionStage<Response> serve(Request request) {
    String agent = request.header("User-Agent").orElse("");
    int asking = 0;
    while (asking < gateways.size() && !agent.contains(gateways.get(asking))) {
      asking++;
    }
    if (asking == gateways.size()) {
      return CompletableFuture.completedFuture(Response.text(404, "for the gateways of the ring"));
    }
    int next = (asking + 1) % gateways.size();
    String element = through.element(gateways.get(next), asking);
    if (here.add(asking) && here.size() == gateways.size()) {
      together.complete(null);
    }
    return together.thenApply(
        all ->
            Response.of(
                200,
                "application/rss+xml",
                FakeOrigin.rssOf(element, items).getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  public void close() {
    server.close();
  }
}
