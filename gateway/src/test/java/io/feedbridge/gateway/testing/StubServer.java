package io.feedbridge.gateway.testing;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.core.Options.ChunkedEncodingPolicy;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.extension.ResponseDefinitionTransformerV2;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.http.HttpServer;
import com.github.tomakehurst.wiremock.http.ResponseDefinition;
import com.github.tomakehurst.wiremock.jetty12.Jetty12HttpServer;
import com.github.tomakehurst.wiremock.stubbing.ServeEvent;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Parameters;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * A WireMock server on a port of its own. A new WireMock takes 15 ms, the first of a JVM 600 ms. A
 * closed one is therefore kept for the next test: its port is closed, its connections too, and only
 * its connector starts again, on another port, within 1 ms.
 */
public final class StubServer implements AutoCloseable {

  /** Answers a request; a stage that never ends hangs until the server is closed. */
  interface Answers {
    CompletionStage<ResponseDefinition> to(Request request);
  }

  /** The names of the servers' threads begin so. */
  static final String THREADS = "stub";

  private static final String LOOPBACK = "127.0.0.1";

  /** Threads of all servers together; an answer that hangs holds one. */
  private static final int MOST_THREADS = 1_000;

  private static final ResponseDefinition RESET =
      ResponseDefinitionBuilder.responseDefinition()
          .withFault(Fault.CONNECTION_RESET_BY_PEER)
          .build();

  private static final Queue<Mock> IDLE = new ConcurrentLinkedQueue<>();
  private static final QueuedThreadPool POOL = pool();

  private final Mock mock;
  private final String address;
  private final int port;
  private final CompletableFuture<ResponseDefinition> closed = new CompletableFuture<>();

  /** On this port of an address, or on a free one for 0. */
  StubServer(String address, int port, Answers answers) {
    Mock idle = IDLE.poll();
    mock = idle == null ? new Mock() : idle;
    this.address = address;
    this.port = mock.listen(address, port, request -> await(request, answers));
  }

  /** On a free port. */
  StubServer(Answers answers) {
    this(LOOPBACK, 0, answers);
  }

  /** On a free port, with every path answered by one handler. */
  public static StubServer serving(Handler handler) {
    return new StubServer(request -> handler.handle(request).thenApply(StubServer::definition));
  }

  private static QueuedThreadPool pool() {
    QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, 1);
    threads.setName(THREADS);
    threads.setDaemon(true);
    threads.setReservedThreads(0);
    return threads;
  }

  /** One request is answered at a time, as on an event loop; the waiting is not. */
  private ResponseDefinition await(Request request, Answers answers) {
    CompletionStage<ResponseDefinition> answer;
    synchronized (this) {
      answer = answers.to(request);
    }
    return (ResponseDefinition)
        CompletableFuture.anyOf(answer.toCompletableFuture(), closed).join();
  }

  int port() {
    return port;
  }

  /** Answers requests to this port too, which another host passes on. */
  void alsoAt(int front) {
    mock.alias = front;
  }

  /** The URL of it, without a slash at its end. */
  public String url() {
    return "http://" + address + ":" + port;
  }

  /** Connections are refused from now on, those that are open end, and answers hang no longer. */
  @Override
  public void close() {
    if (closed.complete(RESET)) {
      mock.rest();
      IDLE.add(mock);
    }
  }

  /** What WireMock sends for a response. */
  static ResponseDefinition definition(Response response) {
    ResponseDefinitionBuilder definition =
        ResponseDefinitionBuilder.responseDefinition()
            .withStatus(response.status())
            .withBody(response.body());
    response
        .headers()
        .asMap()
        .forEach((name, values) -> definition.withHeader(name, values.toArray(String[]::new)));
    return definition.build();
  }

  /** A WireMock whose only stub asks the function that is there. */
  private static final class Mock implements ResponseDefinitionTransformerV2 {
    private final WireMockServer server;
    private volatile @Nullable ServerConnector connector;
    private volatile @Nullable Function<Request, ResponseDefinition> answers;
    private volatile int alias;

    Mock() {
      server =
          new WireMockServer(
              WireMockConfiguration.options()
                  .bindAddress(LOOPBACK)
                  .dynamicPort()
                  .jettyAcceptors(0)
                  .threadPoolFactory(options -> POOL)
                  .httpServerFactory((options, admin, stubs) -> jetty(options, admin, stubs))
                  .useChunkedTransferEncoding(ChunkedEncodingPolicy.NEVER)
                  .gzipDisabled(true)
                  .http2PlainDisabled(true)
                  .disableRequestJournal()
                  .stubRequestLoggingDisabled(true)
                  .extensionScanningEnabled(false)
                  .extensions(this));
      server.stubFor(any(anyUrl()));
      server.start();
      rest();
    }

    private HttpServer jetty(
        com.github.tomakehurst.wiremock.core.Options options,
        com.github.tomakehurst.wiremock.http.AdminRequestHandler admin,
        com.github.tomakehurst.wiremock.http.StubRequestHandler stubs) {
      return new Jetty12HttpServer(options, admin, stubs) {
        {
          HttpConfiguration http =
              httpConnector
                  .getConnectionFactory(HttpConnectionFactory.class)
                  .getHttpConfiguration();
          http.setSendDateHeader(true);
          // A test sees the letters that were sent: not UTF-8 for utf-8.
          http.setHeaderCacheCaseSensitive(true);
          connector = httpConnector;
        }
      };
    }

    ServerConnector connector() {
      ServerConnector made = connector;
      if (made == null) {
        throw new IllegalStateException("not started");
      }
      return made;
    }

    int listen(String address, int port, Function<Request, ResponseDefinition> with) {
      answers = with;
      alias = 0;
      connector().setHost(address);
      connector().setPort(port);
      try {
        connector().start();
        return connector().getLocalPort();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    void rest() {
      try {
        connector().getConnectedEndPoints().forEach(end -> end.close());
        connector().stop();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    /** A request to the port of an earlier test may still be on its way. */
    @Override
    public ResponseDefinition transform(ServeEvent event) {
      Function<Request, ResponseDefinition> present = answers;
      int asked = event.getRequest().getPort();
      return present == null || (asked != connector().getLocalPort() && asked != alias)
          ? RESET
          : present.apply(request(event.getRequest()));
    }

    private static Request request(com.github.tomakehurst.wiremock.http.Request request) {
      QueryStringDecoder uri = new QueryStringDecoder(request.getUrl());
      List<Map.Entry<String, String>> fields = new ArrayList<>();
      request
          .getHeaders()
          .all()
          .forEach(field -> field.values().forEach(v -> fields.add(Map.entry(field.key(), v))));
      return new Request(
          request.getMethod().value(),
          uri.path(),
          uri.rawQuery(),
          Parameters.parse(uri.rawQuery()),
          Headers.from(fields),
          request.getBody(),
          new InetSocketAddress(request.getClientIp(), 0),
          Map.of());
    }

    @Override
    public String getName() {
      return "answers";
    }
  }
}
