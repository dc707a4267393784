package io.feedbridge.gateway.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Passes TCP connections on to a server on this machine, such as PostgreSQL, and breaks them as
 * networks do. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

  /** The text of the statement, and the tag of its answer. */
  public static final String COMMIT = "COMMIT";

  private static final int CHUNK = 1 << 16;

  /** How long a client may send on after the server has ended. */
  private static final Duration LINGER = Duration.ofSeconds(2);

  /** A statement that the client gives a name, under which it is sent from then on. */
  private static final Pattern NAMED = Pattern.compile("(S_[0-9]+)\\x00([A-Z]+)\\x00");

  private final ServerSocket listener;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable String> lostRequest = new AtomicReference<>();
  private final AtomicReference<@Nullable String> lostReply = new AtomicReference<>();
  private final AtomicInteger repliesBefore = new AtomicInteger();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile IntSupplier target;
  private volatile boolean refusing;
  private volatile Duration delay = Duration.ZERO;

  /** A proxy before a port of this machine. */
  public TcpProxy(int target) {
    this(0, () -> target);
  }

  /**
   * A proxy on a port.
   *
   * @param port where it listens; 0 takes any free one
   * @param target asked for each connection
   */
  TcpProxy(int port, IntSupplier target) {
    this.target = target;
    try {
      listener = new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    run(this::accept);
  }

  /** One connection of a client, and the one to the server. */
  private static final class Link {
    final Socket client;
    final Socket server;
    final Map<String, String> names = new ConcurrentHashMap<>();
    final CountDownLatch clientEnded = new CountDownLatch(1);
    volatile boolean silent;

    /** The server reads no more. */
    volatile boolean deaf;

    /** A statement or its answer was lost, and the connection ends. */
    volatile boolean lost;

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    /** Whether a part of the client's words has a statement, as text or by its name. */
    private boolean hasRequest(String words, String statement) {
      Matcher named = NAMED.matcher(words);
      while (named.find()) {
        names.put(named.group(2) + '\0', '\0' + named.group(1) + '\0');
      }
      String name = names.get(statement);
      return words.contains(statement) || (name != null && words.contains(name));
    }

    /**
     * Waits for a while until the client has ended: a socket that is closed with bytes unread
     * resets the connection, and the client loses the answer.
     */
    private void awaitClient() {
      try {
        if (!lost && !clientEnded.await(LINGER.toMillis(), TimeUnit.MILLISECONDS)) {
          cut();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void cut() {
      shut(client);
      shut(server);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Leads new connections to another port from now on. */
  public void lead(int port) {
    target = () -> port;
  }

  /** Ends all connections, on both sides. */
  public void cut() {
    links.forEach(Link::cut);
  }

  /** Whether no connection is open. */
  boolean isIdle() {
    return links.isEmpty();
  }

  /** Whether new connections are ended at once. */
  public void refuse(boolean now) {
    refusing = now;
  }

  /**
   * Leaves the server with connections whose clients are gone: nothing is passed on any more, and
   * the server is not told of the clients' ends. New connections work.
   */
  public void halfOpen() {
    links.forEach(
        link -> {
          link.silent = true;
          shut(link.client);
        });
  }

  /** Passes each part of an answer on after this time. */
  public void delay(Duration each) {
    delay = each;
  }

  /**
   * The next statement with this tag is carried out, but its answer is lost, and the connection
   * ends.
   */
  public void loseNextReply(String tag) {
    loseReply(tag, 0);
  }

  /**
   * {@link #loseNextReply} for a later one.
   *
   * @param after answers with this tag that are passed on before
   */
  public void loseReply(String tag, int after) {
    lostReply.set(null);
    repliesBefore.set(after);
    lostReply.set(tag + '\0');
  }

  /** The next statement with this text is lost, and the connection ends. */
  public void loseNextRequest(String text) {
    lostRequest.set(text + '\0');
  }

  /** Whether all losses that were asked for have happened. */
  public boolean hasLost() {
    return lostRequest.get() == null && lostReply.get() == null;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        lead(listener.accept());
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void lead(Socket client) throws IOException {
    try {
      if (refusing) {
        client.close();
        return;
      }
      Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), target.getAsInt()));
      client.setTcpNoDelay(true);
      link.server.setTcpNoDelay(true);
      links.add(link);
      run(() -> pass(link, client, link.server, lostRequest));
      run(() -> pass(link, link.server, client, lostReply));
    } catch (IOException serverIsAway) {
      client.close();
    }
  }

  private void pass(Link link, Socket from, Socket to, AtomicReference<@Nullable String> lost) {
    byte[] chunk = new byte[CHUNK];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
        String text = lost.get();
        String words = new String(chunk, 0, length, ISO_8859_1);
        boolean has =
            from == link.client
                ? link.hasRequest(words, text == null ? "" : text)
                : text != null && words.contains(text);
        if (text != null
            && has
            && (from == link.client || repliesBefore.getAndDecrement() <= 0)
            && lost.compareAndSet(text, null)) {
          link.lost = true;
          break;
        }
        if (from == link.server && closed.await(delay.toMillis(), TimeUnit.MILLISECONDS)) {
          break;
        }
        if (!link.silent && !(from == link.client && link.deaf)) {
          write(link, out, chunk, length, from == link.client);
        }
      }
      if (!link.lost) {
        // The other side may still have something to say.
        to.shutdownOutput();
      }
    } catch (IOException ended) {
      // One of the two is gone: the other is told below.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (from == link.client && !link.lost) {
      // The server's answer ends the other way.
      link.clientEnded.countDown();
      return;
    }
    if (!link.silent) {
      link.awaitClient();
      link.cut();
      links.remove(link);
    }
  }

  /** The rest of a request that the server does not read is taken and thrown away. */
  private static void write(
      Link link, OutputStream out, byte[] chunk, int length, boolean isRequest) throws IOException {
    try {
      out.write(chunk, 0, length);
    } catch (IOException e) {
      if (!isRequest || link.lost) {
        throw e;
      }
      link.deaf = true;
    }
  }

  private static void run(Runnable task) {
    Thread thread = new Thread(task, "tcp-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private static void shut(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }
}
