package io.feedbridge.gateway.testing;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP proxy on 127.0.0.1, which leads a name and a port to any port of this machine, by CONNECT
 * or by a URL in the request line. Thread-safe.
 */
public final class FakeProxy implements AutoCloseable {

  private static final int BAD_REQUEST = 400;
  private static final String AUTHORIZATION = "Proxy-Authorization";

  private final Map<String, Integer> doors = new ConcurrentHashMap<>();
  private final List<RawHost.Received> heads = new CopyOnWriteArrayList<>();
  private final RawHost host = RawHost.running(this::lead);
  private volatile boolean plainRefused;
  private volatile @Nullable String demanded;

  /** Its port. */
  public int port() {
    return host.port();
  }

  /** From now on a host with its port leads to a port of this machine. */
  public void open(String authority, int port) {
    doors.put(authority, port);
  }

  /** From now on requests by http are answered with 400, as by nginx before a port for https. */
  public void refusePlain(boolean refused) {
    plainRefused = refused;
  }

  /** From now on requests without this {@code Proxy-Authorization} are answered with 407. */
  public void demand(String authorization) {
    demanded = authorization;
  }

  /** The requests so far, as far as they were to the proxy itself. */
  public List<RawHost.Received> heads() {
    return heads;
  }

  private void lead(RawHost.Talk talk) throws IOException {
    RawHost.Received head = talk.readHead();
    if (head == null) {
      return;
    }
    heads.add(head);
    String password = demanded;
    if (password != null && !head.header(AUTHORIZATION).equals(Optional.of(password))) {
      talk.send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno");
      return;
    }
    boolean tunnel = head.line().startsWith("CONNECT ");
    URI url = URI.create(tunnel ? "https://" + head.target() : head.target());
    Integer port = doors.get(url.getHost() + ":" + portOf(url));
    if (port == null) {
      talk.send(RawHost.empty(502));
      return;
    }
    if (tunnel) {
      talk.send("HTTP/1.1 200 Connected\r\n\r\n");
      talk.relay(port, "");
    } else if (plainRefused) {
      talk.send(RawHost.empty(BAD_REQUEST));
    } else {
      talk.relay(port, passedOn(head, url));
    }
  }

  private static int portOf(URI url) {
    int usual = url.getScheme().equals("https") ? 443 : 80;
    return url.getPort() < 0 ? usual : url.getPort();
  }

  /** The bytes after the answer would not be led: the origin closes the connection. */
  private static String passedOn(RawHost.Received head, URI url) {
    String target = url.getRawPath() + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery());
    Stream<String> fields =
        head.headers().stream()
            .filter(field -> !field.toLowerCase(Locale.ROOT).startsWith("proxy-"));
    Stream<String> close =
        head.header("Connection").isPresent() ? Stream.of() : Stream.of("Connection: close");
    return head.line().replace(head.target(), target)
        + "\r\n"
        + Stream.concat(fields, close).collect(Collectors.joining("\r\n"))
        + "\r\n\r\n";
  }

  @Override
  public void close() {
    host.close();
  }
}
