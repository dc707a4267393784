package io.feedbridge.gateway.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A host on raw sockets that sends exactly the bytes of its script, and keeps the requests. It is
 * for the answers that WireMock cannot give: half and malformed ones, ones without an end or on one
 * connection after the other, TLS with a test's own certificate, and for connections as such.
 */
public final class RawHost implements AutoCloseable {
  /** What happens on one connection; when it returns, the connection is closed. */
  public interface Script {
    void talk(Talk talk) throws IOException;
  }

  /**
   * A request as it came.
   *
   * @param line the request line
   */
  public record Received(int connection, String line, List<String> headers, String body) {
    /** The path and the query, as they came. */
    public String target() {
      return line.split(" ", -1)[1];
    }

    /** The first value of a header. */
    public Optional<String> header(String name) {
      String prefix = name.toLowerCase(Locale.ROOT) + ":";
      return headers.stream()
          .filter(h -> h.toLowerCase(Locale.ROOT).startsWith(prefix))
          .map(h -> h.substring(prefix.length()).strip())
          .findFirst();
    }
  }

  /** A loopback address that a test allows 127.0.0.1 without. */
  public static final String INSIDE = "127.0.0.2";

  private static final String END_OF_HEAD = "\r\n\r\n";
  private static final int BACKLOG = 1_024;

  private final ServerSocket listener;
  private final Script script;
  private final String scheme;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final List<Received> requests = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();

  private RawHost(ServerSocket listener, String scheme, Script script) {
    this.listener = listener;
    this.scheme = scheme;
    this.script = script;
    start("raw-host", this::accept);
  }

  /** On a free port of 127.0.0.1. */
  public static RawHost running(Script script) {
    return on("127.0.0.1", script);
  }

  /** On a free port of an address. */
  public static RawHost on(String address, Script script) {
    return on(address, 0, script);
  }

  /** A host inside, which must not be reached: it counts connections and ends each at once. */
  public static RawHost inside(String address, int port) {
    return on(address, port, talk -> {});
  }

  private static RawHost on(String address, int port, Script script) {
    try {
      ServerSocket listener = new ServerSocket();
      listener.bind(new InetSocketAddress(InetAddress.getByName(address), port), BACKLOG);
      return new RawHost(listener, "http", script);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** With TLS, on a free port. */
  public static RawHost secure(SSLContext tls, Script script) {
    return secure(tls, 0, script);
  }

  /** With TLS, on this port, or on a free one for 0. */
  static RawHost secure(SSLContext tls, int port, Script script) {
    try {
      ServerSocket listener =
          tls.getServerSocketFactory()
              .createServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
      return new RawHost(listener, "https", script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Answers every request with the same bytes, on a kept connection. */
  public static RawHost answering(String response) {
    return running(always(response));
  }

  /** Answers every request of a connection with the same bytes. */
  public static Script always(String response) {
    return talk -> {
      while (talk.read() != null) {
        talk.send(response);
      }
    };
  }

  /** A 200 with this body. */
  public static String ok(String body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
  }

  /** A 200 after which the connection is closed. */
  public static String last(String contentType, String body) {
    return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(contentType, body.length(), body);
  }

  /** An answer with a status alone. */
  public static String empty(int status) {
    return "HTTP/1.1 " + status + " Status\r\nContent-Length: 0\r\n\r\n";
  }

  /** A redirect. */
  public static String redirect(int status, String location) {
    return "HTTP/1.1 "
        + status
        + " Moved\r\nLocation: "
        + location
        + "\r\nContent-Length: 0\r\n\r\n";
  }

  /** Its address, as numbers. */
  public String address() {
    return listener.getInetAddress().getHostAddress();
  }

  /** Its port. */
  public int port() {
    return listener.getLocalPort();
  }

  /** The URL of a path with its slash. */
  public String url(String pathAndQuery) {
    return at("127.0.0.1", pathAndQuery);
  }

  /** The same with a host in another spelling, or with another name. */
  public String at(String host, String pathAndQuery) {
    return scheme + "://" + host + ":" + port() + pathAndQuery;
  }

  /** The requests that were read whole so far. */
  public List<Received> requests() {
    return requests;
  }

  /** Connections so far. */
  public int accepted() {
    return accepted.get();
  }

  /** Connections that are open. */
  public int open() {
    return open.size();
  }

  /** Connections that were open at once, at most. */
  public int peak() {
    return peak.get();
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = listener.accept();
        int number = accepted.incrementAndGet();
        open.add(socket);
        peak.accumulateAndGet(open.size(), Math::max);
        start("raw-host-" + number, () -> talk(socket, number));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void talk(Socket socket, int number) {
    try (socket) {
      script.talk(new Talk(socket, number));
    } catch (IOException e) {
      // The client has gone, which is for the client's test to judge.
    } finally {
      open.remove(socket);
    }
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The server's side of one connection. */
  public final class Talk {
    private final Socket socket;
    private final InputStream in;
    private final int number;

    private Talk(Socket socket, int number) throws IOException {
      this.socket = socket;
      this.number = number;
      in = new BufferedInputStream(socket.getInputStream());
    }

    /** The number of the connection, from 1 on. */
    public int number() {
      return number;
    }

    /** Reads one request and keeps it; null when the client has closed. */
    public @Nullable Received read() throws IOException {
      Received whole = take();
      if (whole != null) {
        requests.add(whole);
      }
      return whole;
    }

    /** Reads one request without keeping it; null when the client has closed. */
    public @Nullable Received take() throws IOException {
      Received head = readHead();
      if (head == null) {
        return null;
      }
      int length = head.header("Content-Length").map(Integer::parseInt).orElse(0);
      return new Received(
          number, head.line(), head.headers(), new String(in.readNBytes(length), ISO_8859_1));
    }

    /** Reads a request's head only. */
    public @Nullable Received readHead() throws IOException {
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      for (int ends = 0; ends < END_OF_HEAD.length(); ) {
        int b = in.read();
        if (b < 0) {
          return null;
        }
        head.write(b);
        ends = b == END_OF_HEAD.charAt(ends) ? ends + 1 : b == '\r' ? 1 : 0;
      }
      List<String> lines = head.toString(ISO_8859_1).lines().filter(l -> !l.isEmpty()).toList();
      return new Received(number, lines.get(0), lines.subList(1, lines.size()), "");
    }

    /** What was agreed in the handshake. */
    public SSLSession tlsSession() {
      return ((SSLSocket) socket).getSession();
    }

    /** Sends these characters, a byte each. */
    public void send(String bytes) throws IOException {
      send(bytes.getBytes(ISO_8859_1));
    }

    /** Sends these bytes at once. */
    public void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    /**
     * Passes bytes on to a port of this machine and its answers back, until either side closes.
     *
     * @param first is sent before them
     */
    public void relay(int port, String first) throws IOException {
      try (Socket inner = new Socket(InetAddress.getLoopbackAddress(), port)) {
        inner.getOutputStream().write(first.getBytes(ISO_8859_1));
        start("raw-host-" + number + "-back", () -> passBack(inner));
        in.transferTo(inner.getOutputStream());
      }
    }

    private void passBack(Socket inner) {
      try (socket) {
        inner.getInputStream().transferTo(socket.getOutputStream());
      } catch (IOException e) {
        // One side has gone, and with it the other.
      }
    }

    /** Neither reads nor sends until the host is closed. */
    public void hang() {
      try {
        closed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Waits until the client closes. */
    public void awaitEnd() throws IOException {
      in.transferTo(OutputStream.nullOutputStream());
    }

    /** Closes with a reset instead of an orderly end. */
    public void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }
}
