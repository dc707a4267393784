package io.feedbridge.gateway.client.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.LeakCheck;
import io.netty.channel.EventLoopGroup;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.netty.util.NetUtil;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class DnsResolverTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int HEADER = 12;

  private final Transport transport = Transport.best();
  private final EventLoopGroup group = transport.newGroup(1, "test-dns");
  private final AtomicInteger addressQueries = new AtomicInteger();
  private DatagramSocket server;
  private DnsResolver resolver;

  @BeforeEach
  void start() throws IOException {
    server = new DatagramSocket(new InetSocketAddress(NetUtil.LOCALHOST4, 0));
    InetSocketAddress address = new InetSocketAddress(NetUtil.LOCALHOST4, server.getLocalPort());
    resolver =
        new DnsResolver(
            group.next(), transport, new SingletonDnsServerAddressStreamProvider(address));
    Thread thread = new Thread(this::serve, "fake-dns");
    thread.setDaemon(true);
    thread.start();
  }

  @AfterEach
  void stop() {
    resolver.close();
    server.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** Knows one name, known.example, and no IPv6. */
  private void serve() {
    try {
      while (true) {
        DatagramPacket query = new DatagramPacket(new byte[1500], 1500);
        server.receive(query);
        byte[] answer = answer(Arrays.copyOf(query.getData(), query.getLength()));
        server.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private byte[] answer(byte[] query) throws IOException {
    int end = HEADER;
    while (query[end] != 0) {
      end += query[end] + 1;
    }
    int type = query[end + 2];
    boolean known =
        new String(query, HEADER, end - HEADER, StandardCharsets.US_ASCII).contains("known");
    boolean withAddress = known && type == 1;
    if (type == 1) {
      addressQueries.incrementAndGet();
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(query, 0, 2);
    out.writeShort(known ? 0x8180 : 0x8183);
    out.writeShort(1);
    out.writeShort(withAddress ? 1 : 0);
    out.writeInt(0);
    out.write(query, HEADER, end + 5 - HEADER);
    if (withAddress) {
      out.writeShort(0xc000 | HEADER);
      out.writeShort(1);
      out.writeShort(1);
      out.writeInt(300);
      out.writeShort(4);
      out.write(new byte[] {9, 8, 7, 6});
    }
    return bytes.toByteArray();
  }

  @Test
  void the_hosts_file_is_read() {
    assertThat(resolver.resolve("localhost"))
        .succeedsWithin(PATIENCE)
        .satisfies(
            found -> assertThat(found).isNotEmpty().allMatch(InetAddress::isLoopbackAddress));
    assertThat(addressQueries).hasValue(0);
  }

  @Test
  void the_name_server_is_asked_once_for_the_answers_time_to_live() {
    for (int i = 0; i < 3; i++) {
      assertThat(resolver.resolve("known.example"))
          .succeedsWithin(PATIENCE)
          .isEqualTo(List.of(FakeResolver.address("9.8.7.6")));
    }

    assertThat(addressQueries).hasValue(1);
  }

  @Test
  void an_unknown_name_fails_and_is_asked_for_once() {
    for (int i = 0; i < 3; i++) {
      assertThat(resolver.resolve("nobody.example"))
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .withCauseInstanceOf(UnknownHostException.class);
    }

    assertThat(addressQueries).hasValue(1);
  }
}
