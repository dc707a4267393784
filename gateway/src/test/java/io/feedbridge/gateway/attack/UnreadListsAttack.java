package io.feedbridge.gateway.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of pings, then connections that ask for the list of them and read nothing. */
class UnreadListsAttack {

  private static final int PINGS = 5_000;
  private static final int AT_ONCE = 50;
  private static final int CONNECTIONS = 120;
  private static final int GROWTH_MEBI = 150;

  /** Each character takes five bytes in the list, and a listed URL has at most 500. */
  private static final String PADDING = "&amp;".repeat(450);

  @Test
  @Timeout(300)
  void lists_that_nobody_reads_hold_up_no_publish_and_take_bounded_memory(@TempDir Path data)
      throws Exception {
    int port = FreePort.next();
    try (GatewayProcess gateway = GatewayProcess.start(data, port);
        Bystander bystander = new Bystander(gateway);
        Unread attacker = new Unread(port)) {
      pings(gateway);
      Duration before = bystander.slowest();
      long resident = Bystander.residentMebi(gateway);

      attacker.get(CONNECTIONS, "/changes.xml");
      Duration during = bystander.slowest();

      System.out.printf("unread lists: %s before, %s during%n", before, during);
      Bystander.assertHardlySlower(during, before);
      assertThat(Bystander.residentMebi(gateway) - resident).isLessThan(GROWTH_MEBI);
      assertThat(gateway.meter("feedbridge_server_responses_bytes")).isLessThan(64 << 20);
      assertThat(gateway.get("/changes.xml").body()).hasSizeGreaterThan(4 << 20);
      Bystander.assertNoMemoryRanOut(gateway);
    }
  }

  private static void pings(GatewayProcess gateway) {
    Http http = new Http();
    for (int begun = 0; begun < PINGS; begun += AT_ONCE) {
      List<CompletableFuture<?>> some = new ArrayList<>();
      for (int i = begun; i < begun + AT_ONCE; i++) {
        String call =
            """
            <?xml version="1.0"?><methodCall>
            <methodName>weblogUpdates.extendedPing</methodName><params>
            <param><value>Site %1$d %2$s</value></param>
            <param><value>http://site-%1$d.example/?%2$s</value></param>
            <param><value>http://site-%1$d.example/</value></param>
            <param><value>http://site-%1$d.example/feed?%2$s</value></param>
            </params></methodCall>
            """
                .formatted(i, PADDING);
        some.add(
            http.post(gateway.url("/RPC2"), "text/xml", call.getBytes(StandardCharsets.UTF_8)));
      }
      some.forEach(CompletableFuture::join);
    }
  }
}
