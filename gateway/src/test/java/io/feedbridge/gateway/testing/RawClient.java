package io.feedbridge.gateway.testing;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A client that sends whatever bytes it is told to. */
public final class RawClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A response. */
  public record Answer(int status, Map<String, String> headers, String body) {
    /** The value of a header field; empty if there is none. */
    public String header(String name) {
      return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }

    /** Whether it is the last of its connection. */
    public boolean closes() {
      return header("Connection").equals("close");
    }
  }

  private final Socket socket;
  private final InputStream in;

  /** Connects. */
  public RawClient(InetSocketAddress server) throws IOException {
    this(server, "127.0.0.1");
  }

  /** Connects from an address of this machine. */
  public RawClient(InetSocketAddress server, String from) throws IOException {
    this(connect(server, from));
  }

  /** Uses a connection. */
  public RawClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout((int) PATIENCE.toMillis());
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
  }

  private static Socket connect(InetSocketAddress server, String from) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(from, 0));
    socket.connect(server, (int) PATIENCE.toMillis());
    return socket;
  }

  /** Sends the text with each line feed as CR LF. */
  public RawClient send(String text) throws IOException {
    return sendExactly(text.replace("\n", "\r\n"));
  }

  /** Sends each character as a byte. */
  public RawClient sendExactly(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
    return this;
  }

  /** The next response, whose body is as long as its Content-Length says. */
  public Answer read() throws IOException {
    Answer head = readHead();
    int length = Integer.parseInt(head.headers().getOrDefault("content-length", "0"));
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the body broke off");
    }
    return new Answer(head.status(), head.headers(), new String(body, StandardCharsets.UTF_8));
  }

  /** The next response to HEAD, or an interim one. */
  public Answer readHead() throws IOException {
    String line = line();
    int status = Integer.parseInt(line.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
    Map<String, String> headers = new LinkedHashMap<>();
    for (line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    return new Answer(status, headers, "");
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the connection ended after '" + line + "'");
      }
      if (b != '\r') {
        line.append((char) b);
      }
    }
    return line.toString();
  }

  /** So many bytes of content, with whatever frames them. */
  public String readExactly(int length) throws IOException {
    return new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  /** Whether the server has ended the connection with nothing more sent. */
  public boolean atEnd() throws IOException {
    return in.read() < 0;
  }

  /** The connection itself. */
  public Socket socket() {
    return socket;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
