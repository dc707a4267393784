package io.feedbridge.gateway.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections that are slow in every way, from many addresses, and that come again when they are
 * closed.
 */
final class SlowConnections implements AutoCloseable {

  private static final int PER_ADDRESS = 100;
  private static final int ADDRESSES_PER_NETWORK = 250;

  /** One in so many sends much of a body, and then nothing. */
  private static final int HEAVY = 100;

  private static final int HEAVY_BYTES = 1 << 20;
  private static final ByteBuffer DRIP = ByteBuffer.wrap(new byte[] {'x'}).asReadOnlyBuffer();

  private static final String NOTHING = "";
  private static final String HEAD = "GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ";
  private static final String BODY =
      "POST /hub HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhub.mode=";
  private static final String LARGE_BODY =
      "POST /callback/websub/x HTTP/1.1\r\nHost: a\r\nContent-Length: 16000000\r\n\r\n"
          + "x".repeat(HEAVY_BYTES);

  private final InetSocketAddress gateway;
  private final List<Slow> all = new ArrayList<>();
  private final AtomicInteger reopened = new AtomicInteger();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

  /** Opens so many. */
  SlowConnections(int port, int count) throws IOException {
    gateway = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (int i = 0; i < count; i++) {
      all.add(new Slow(i));
    }
    var unused = clock.scheduleWithFixedDelay(this::drip, 1, 1, TimeUnit.SECONDS);
  }

  /** How often one was closed by the gateway, and opened again. */
  int reopened() {
    return reopened.get();
  }

  private void drip() {
    try {
      for (Slow slow : all) {
        slow.drip();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private final class Slow {
    private final String from;
    private final ByteBuffer begin;
    private SocketChannel channel;

    Slow(int number) throws IOException {
      int address = number / PER_ADDRESS;
      from =
          "127.1.%d.%d"
              .formatted(address / ADDRESSES_PER_NETWORK, 1 + address % ADDRESSES_PER_NETWORK);
      String text = number % HEAVY == 0 ? LARGE_BODY : List.of(NOTHING, HEAD, BODY).get(number % 3);
      begin = ByteBuffer.wrap(text.getBytes(ISO_8859_1));
      channel = open();
    }

    private SocketChannel open() throws IOException {
      SocketChannel opened = SocketChannel.open().bind(new InetSocketAddress(from, 0));
      opened.connect(gateway);
      opened.configureBlocking(false);
      begin.rewind();
      return opened;
    }

    /** What is left of its beginning, then a byte at a time. */
    void drip() throws IOException {
      try {
        if (begin.hasRemaining()) {
          channel.write(begin);
        } else if (begin.capacity() > 0 && begin.capacity() < HEAVY_BYTES) {
          channel.write(DRIP.duplicate());
        }
        if (channel.read(ByteBuffer.allocate(1_024)) < 0) {
          throw new IOException("closed");
        }
      } catch (IOException closed) {
        channel.close();
        reopened.incrementAndGet();
        channel = open();
      }
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
    try {
      if (!clock.awaitTermination(10, TimeUnit.SECONDS)) {
        throw new AssertionError("it goes on dripping");
      }
      for (Slow slow : all) {
        slow.channel.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for the last drip", e);
    }
  }
}
