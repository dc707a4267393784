package io.feedbridge.gateway.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.util.NetUtil;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A server on loopback that says exactly what its script says, byte for byte, and remembers what it
 * was told.
 */
final class FakeHost implements AutoCloseable {
  /** What happens on one connection; when it returns, the connection is closed. */
  interface Script {
    void talk(Talk talk) throws IOException;
  }

  /** A request as it came. */
  record Received(int connection, String line, List<String> headers, String body) {
    Optional<String> header(String name) {
      String prefix = name.toLowerCase(Locale.ROOT) + ":";
      return headers.stream()
          .filter(h -> h.toLowerCase(Locale.ROOT).startsWith(prefix))
          .map(h -> h.substring(prefix.length()).strip())
          .findFirst();
    }
  }

  private final ServerSocket listener;
  private final Script script;
  private final String scheme;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final List<Received> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();

  private FakeHost(ServerSocket listener, String scheme, Script script) {
    this.listener = listener;
    this.scheme = scheme;
    this.script = script;
    start("fake-host", this::accept);
  }

  static FakeHost running(Script script) {
    return on("127.0.0.1", script);
  }

  static FakeHost on(String address, Script script) {
    try {
      ServerSocket listener = new ServerSocket();
      listener.bind(new InetSocketAddress(FakeResolver.address(address), 0), 512);
      return new FakeHost(listener, "http", script);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  static FakeHost secure(SSLContext tls, Script script) {
    try {
      ServerSocket listener =
          tls.getServerSocketFactory().createServerSocket(0, 512, NetUtil.LOCALHOST4);
      return new FakeHost(listener, "https", script);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Answers every request with the same bytes, on a kept connection. */
  static FakeHost answering(String response) {
    return running(always(response));
  }

  static Script always(String response) {
    return talk -> {
      while (talk.read() != null) {
        talk.send(response);
      }
    };
  }

  static String ok(String body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
  }

  static String redirect(int status, String location) {
    return "HTTP/1.1 "
        + status
        + " Moved\r\nLocation: "
        + location
        + "\r\nContent-Length: 0\r\n\r\n";
  }

  int port() {
    return listener.getLocalPort();
  }

  String url(String pathAndQuery) {
    return at("127.0.0.1", pathAndQuery);
  }

  String at(String host, String pathAndQuery) {
    return scheme + "://" + host + ":" + port() + pathAndQuery;
  }

  List<Received> requests() {
    return requests;
  }

  int accepted() {
    return accepted.get();
  }

  int open() {
    return open.size();
  }

  int peak() {
    return peak.get();
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = listener.accept();
        int number = accepted.incrementAndGet();
        open.add(socket);
        peak.accumulateAndGet(open.size(), Math::max);
        start("fake-host-" + number, () -> talk(socket, number));
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
  final class Talk {
    private final Socket socket;
    private final InputStream in;
    private final int number;

    private Talk(Socket socket, int number) throws IOException {
      this.socket = socket;
      this.number = number;
      in = new BufferedInputStream(socket.getInputStream());
    }

    int number() {
      return number;
    }

    /** Reads one request; null when the client has closed. */
    @Nullable Received read() throws IOException {
      Received head = readHead();
      if (head == null) {
        return null;
      }
      int length = head.header("Content-Length").map(Integer::parseInt).orElse(0);
      String body = new String(in.readNBytes(length), ISO_8859_1);
      Received whole = new Received(number, head.line(), head.headers(), body);
      requests.add(whole);
      return whole;
    }

    /** Reads a request's head only. */
    @Nullable Received readHead() throws IOException {
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
        int b = in.read();
        if (b < 0) {
          return null;
        }
        head.write(b);
      }
      List<String> lines = head.toString(ISO_8859_1).lines().filter(l -> !l.isEmpty()).toList();
      return new Received(number, lines.get(0), lines.subList(1, lines.size()), "");
    }

    /** What was agreed in the handshake. */
    SSLSession tlsSession() {
      return ((SSLSocket) socket).getSession();
    }

    void send(String bytes) throws IOException {
      send(bytes.getBytes(ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    /** Waits until the client closes. */
    void awaitEnd() throws IOException {
      in.transferTo(OutputStream.nullOutputStream());
    }

    /** Closes with a reset instead of an orderly end. */
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }
}
