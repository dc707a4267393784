package io.feedbridge.gateway.bench.parts;

import com.ctc.wstx.stax.WstxInputFactory;
import io.feedbridge.gateway.bench.data.Hosts;
import io.feedbridge.gateway.bench.data.Micros;
import io.feedbridge.gateway.bench.data.Wire;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * The reference for light pings: fetches each document, reads the text in it with Woodstox as often
 * as it is asked to, and does nothing else.
 */
final class BareReader implements Talk.Role {

  /** While one of them waits for a document, another one reads. */
  private static final int THREADS = 2 * Runtime.getRuntime().availableProcessors();

  private final Clock clock;
  private final XMLInputFactory woodstox = new WstxInputFactory();
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final List<Wire> wires = new ArrayList<>();

  BareReader(Clock clock) {
    this.clock = clock;
    woodstox.setProperty(XMLInputFactory.SUPPORT_DTD, false);
  }

  @Override
  public Object asked(String... words) throws Exception {
    return switch (words[0]) {
      case "connect" -> connect(new Hosts(Integer.parseInt(words[2]), Integer.parseInt(words[1])));
      case "read" -> read(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      default -> throw new IllegalArgumentException("unknown: " + words[0]);
    };
  }

  /** {@code connect ORIGIN-PORT HOSTS}: a connection for each thread, which is kept. */
  private Map<String, Object> connect(Hosts origins) throws IOException {
    for (int i = 0; i < THREADS; i++) {
      wires.add(
          new Wire(new InetSocketAddress(Hosts.inetAddress(origins.hostOf(i)), origins.port())));
    }
    return Map.of();
  }

  /** {@code read FEEDS SCANS}: the time that it took, and the characters that were read. */
  private Map<String, Object> read(int feeds, int scans) throws Exception {
    AtomicInteger next = new AtomicInteger();
    long began = Micros.of(clock.instant());
    List<Callable<Long>> shares = new ArrayList<>();
    wires.forEach(wire -> shares.add(() -> read(wire, next, feeds, scans)));
    long characters = 0;
    for (Future<Long> share : threads.invokeAll(shares)) {
      characters += share.get();
    }
    return Map.of("micros", Micros.of(clock.instant()) - began, "characters", characters);
  }

  private long read(Wire wire, AtomicInteger next, int feeds, int scans)
      throws IOException, XMLStreamException {
    long characters = 0;
    for (int feed = next.getAndIncrement(); feed < feeds; feed = next.getAndIncrement()) {
      byte[] document = wire.bytes(Hosts.feedPath(feed));
      for (int i = 0; i < scans; i++) {
        characters += scan(document);
      }
    }
    return characters;
  }

  private long scan(byte[] document) throws XMLStreamException {
    XMLStreamReader reader = woodstox.createXMLStreamReader(new ByteArrayInputStream(document));
    long characters = 0;
    while (reader.hasNext()) {
      int event = reader.next();
      if (event == XMLStreamReader.CHARACTERS || event == XMLStreamReader.CDATA) {
        characters += reader.getText().length();
      }
    }
    reader.close();
    return characters;
  }
}
