package io.feedbridge.gateway.attack;

import io.feedbridge.gateway.testing.RawHost;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Hosts that confirm a subscription, and then neither read nor answer what they are sent. */
final class HangingHosts implements AutoCloseable {

  private static final Pattern CHALLENGE = Pattern.compile("hub\\.challenge=([^& ]+)");

  private final List<RawHost> hosts;
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger delivered = new AtomicInteger();

  HangingHosts(int count) {
    hosts = Stream.generate(() -> RawHost.running(this::serve)).limit(count).toList();
  }

  private void serve(RawHost.Talk talk) throws IOException {
    RawHost.Received head = talk.readHead();
    if (head == null || !head.line().startsWith("GET ")) {
      delivered.incrementAndGet();
      talk.hang();
      return;
    }
    Matcher challenge = CHALLENGE.matcher(head.line());
    talk.send(RawHost.last("text/plain", challenge.find() ? challenge.group(1) : ""));
    asked.incrementAndGet();
  }

  /** Callbacks at some of the hosts. */
  List<String> callbacks(int from, int count) {
    return hosts.subList(from, from + count).stream().map(host -> host.url("/callback")).toList();
  }

  /** Verifications so far. */
  int asked() {
    return asked.get();
  }

  /** Deliveries that began so far. */
  int delivered() {
    return delivered.get();
  }

  @Override
  public void close() {
    hosts.forEach(RawHost::close);
  }
}
