package io.feedbridge.gateway.client.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.ClientConfig;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client on two event loops that may call 127.0.0.1 and asks a fake resolver; each test has its
 * own.
 */
public final class TestClient implements AutoCloseable {
  public static final Duration PATIENCE = Duration.ofMinutes(2);

  public final FakeResolver resolver = new FakeResolver();
  public final OutboundClient client;
  private final EventLoopGroup group;

  public TestClient(ClientConfig config, Transport transport) {
    this(
        config,
        transport,
        AddressPolicy.allowing(List.of("127.0.0.1/32"), List.of("127.0.0.1/32")));
  }

  public TestClient(ClientConfig config, Transport transport, AddressPolicy policy) {
    group = transport.newGroup(2, "test-outbound");
    client = new OutboundClient(group, transport, config, policy, resolver);
  }

  public TestClient(ClientConfig config) {
    this(config, Transport.best());
  }

  public TestClient() {
    this(ClientConfig.defaults());
  }

  public Reply call(Call.Builder call) {
    return get(client.send(call.build()));
  }

  public Reply fetch(String url) {
    return call(Call.get(url, Purpose.FETCH));
  }

  public CallException failure(Call.Builder call) {
    return failure(client.send(call.build()));
  }

  public Failure fetchFailure(String url) {
    return failure(Call.get(url, Purpose.FETCH)).failure();
  }

  public static Reply get(CompletableFuture<Reply> reply) {
    try {
      return reply.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  public static CallException failure(CompletableFuture<Reply> reply) {
    assertThat(reply).failsWithin(PATIENCE);
    Throwable cause = reply.handle((r, e) -> e).join();
    assertThat(cause).isInstanceOf(CallException.class);
    return (CallException) cause;
  }

  @Override
  public void close() {
    client.close();
    stopLoops();
  }

  public void stopLoops() {
    group.shutdownGracefully(0, 1000, TimeUnit.MILLISECONDS).syncUninterruptibly();
  }
}
