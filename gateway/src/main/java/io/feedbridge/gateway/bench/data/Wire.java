package io.feedbridge.gateway.bench.data;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One kept connection to a server on this machine, for one request at a time: with so little around
 * it that the time of an answer is that of the server.
 */
public final class Wire implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Socket socket = new Socket();
  private final String authority;
  private final InputStream in;
  private final OutputStream out;
  private byte[] content = {};

  /** A connection to the gateway. */
  public Wire(int port) throws IOException {
    this(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  public Wire(InetSocketAddress server) throws IOException {
    authority = server.getAddress().getHostAddress() + ":" + server.getPort();
    socket.setTcpNoDelay(true);
    socket.setSoTimeout((int) TIMEOUT.toMillis());
    socket.connect(server, (int) TIMEOUT.toMillis());
    in = new java.io.BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /** POST of a form; the status that was answered. */
  public int form(String path, String form) throws IOException {
    byte[] body = form.getBytes(StandardCharsets.UTF_8);
    return send(
        "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                .formatted(path, authority)
            + "Content-Length: "
            + body.length
            + "\r\n\r\n",
        body);
  }

  /** GET; the status that was answered. */
  public int get(String path) throws IOException {
    return send("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(path, authority), new byte[0]);
  }

  /** GET; the content, whatever the status. */
  public String text(String path) throws IOException {
    return new String(bytes(path), StandardCharsets.UTF_8);
  }

  /** The bytes of a document. */
  public byte[] bytes(String path) throws IOException {
    get(path);
    return content;
  }

  private int send(String head, byte[] body) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
    request.writeBytes(body);
    out.write(request.toByteArray());
    out.flush();
    String answered = head();
    int length =
        answered
            .lines()
            .filter(line -> line.regionMatches(true, 0, "content-length:", 0, 15))
            .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
            .findFirst()
            .orElse(0);
    content = in.readNBytes(length);
    return Integer.parseInt(answered.substring(9, 12));
  }

  private String head() throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("it closed the connection");
      }
      head.append((char) next);
    }
    return head.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
