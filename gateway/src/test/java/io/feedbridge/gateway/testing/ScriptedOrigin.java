package io.feedbridge.gateway.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * An origin that answers as a test says, however wrong, and keeps every request as it came. It is
 * none of the gateway's own making: the JDK's server.
 */
public final class ScriptedOrigin implements AutoCloseable {

  /** Answers one request; the exchange is closed afterwards. */
  public interface Script {
    /** Throws when the client has gone, which is for the test to judge. */
    void answer(HttpExchange exchange) throws IOException;
  }

  /** A request as it came. */
  public record Asked(String protocol, Map<String, List<String>> headers) {
    /** The first value of a header. */
    public Optional<String> header(String name) {
      return headers.entrySet().stream()
          .filter(field -> field.getKey().equalsIgnoreCase(name))
          .map(field -> field.getValue().get(0))
          .findFirst();
    }
  }

  private final HttpServer server;
  private final String scheme;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Script> scripts = new ConcurrentHashMap<>();
  private final Map<String, List<Asked>> asked = new ConcurrentHashMap<>();

  /** An origin without TLS. */
  public ScriptedOrigin() {
    this(null);
  }

  /** An origin with TLS, if there is any. */
  public ScriptedOrigin(@Nullable SSLContext tls) {
    InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try {
      if (tls == null) {
        server = HttpServer.create(anywhere, 0);
        scheme = "http";
      } else {
        HttpsServer secure = HttpsServer.create(anywhere, 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(tls));
        server = secure;
        scheme = "https";
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  /** The URL of a path such as {@code feed.xml}. */
  public String url(String path) {
    return scheme + "://127.0.0.1:" + server.getAddress().getPort() + "/" + path;
  }

  /** Answers requests for a path so from now on. */
  public String on(String path, Script script) {
    scripts.put(path, script);
    return url(path);
  }

  /** Answers with 200, these bytes, and these headers as alternating names and values. */
  public String serve(String path, byte[] body, String... headers) {
    return on(
        path,
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "application/rss+xml");
          for (int i = 0; i < headers.length; i += 2) {
            exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
          }
          exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
        });
  }

  /** The same with a text. */
  public String serve(String path, String body, String... headers) {
    return serve(path, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  /** Answers with a status without a body, and these headers. */
  public String answer(String path, int status, String... headers) {
    return on(
        path,
        exchange -> {
          for (int i = 0; i < headers.length; i += 2) {
            exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
          }
          exchange.sendResponseHeaders(status, -1);
        });
  }

  /** The requests for a path so far. */
  public List<Asked> asked(String path) {
    return List.copyOf(asked.getOrDefault(path, List.of()));
  }

  /** The last of them. */
  public Asked last(String path) {
    List<Asked> all = asked(path);
    return all.get(all.size() - 1);
  }

  private void serve(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath().substring(1);
    asked
        .computeIfAbsent(path, any -> new CopyOnWriteArrayList<>())
        .add(new Asked(exchange.getProtocol(), Map.copyOf(exchange.getRequestHeaders())));
    try (exchange) {
      Script script = scripts.get(path);
      if (script == null) {
        exchange.sendResponseHeaders(404, -1);
      } else {
        script.answer(exchange);
      }
    } catch (IOException gone) {
      // The client has what it wanted, or wants no more.
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
