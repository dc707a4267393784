package io.feedbridge.gateway.web.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Callers;
import io.feedbridge.rsscloud.RpcProtocol;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class RpcHandlerTest {

  private static final String HELLO =
      "<?xml version=\"1.0\"?><methodCall><methodName>rssCloud.hello</methodName>"
          + "<params/></methodCall>";

  /** Returns only once the task has ended, so that its future has completed by then. */
  private static final Executor DONE_AT_ONCE =
      task -> {
        Thread thread = new Thread(task, "blocking");
        thread.start();
        try {
          thread.join();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      };

  // A call of rssCloud.hello uses none of the parts that are left out.
  @SuppressWarnings("NullAway")
  private final RpcHandler face =
      new RpcHandler(Optional.empty(), null, new Callers(Networks.of(List.of())), null);

  @Test
  void a_call_is_parsed_on_a_blocking_thread_also_when_that_thread_is_faster_than_the_caller() {
    CompletableFuture<String> parsedOn = new CompletableFuture<>();
    Request request =
        new Request(
            "POST",
            "/RPC2",
            "",
            Map.of(),
            Headers.of("Content-Type", "text/xml"),
            HELLO.getBytes(StandardCharsets.UTF_8),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
            Map.of());

    Response answer =
        face.answered(
                request,
                RpcProtocol.XML_RPC,
                call -> {
                  parsedOn.complete(Thread.currentThread().getName());
                  return CompletableFuture.completedFuture(RpcHandler.DONE);
                },
                task -> CompletableFuture.supplyAsync(task, DONE_AT_ONCE))
            .toCompletableFuture()
            .join();

    assertThat(answer.status()).isEqualTo(200);
    assertThat(parsedOn).isCompletedWithValue("blocking");
  }
}
