package io.feedbridge.gateway.client.address;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Gives the answers it was told to give: each in turn, the last for ever. A host without answers is
 * unknown.
 */
public final class FakeResolver implements Resolver {
  private final Map<String, Deque<List<InetAddress>>> answers = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<String> silent = new CopyOnWriteArrayList<>();

  public FakeResolver answer(String host, String... addresses) {
    List<InetAddress> answer = List.of(addresses).stream().map(FakeResolver::address).toList();
    answers.computeIfAbsent(host, h -> new ArrayDeque<>()).add(answer);
    return this;
  }

  public FakeResolver neverAnswer(String host) {
    silent.add(host);
    return this;
  }

  public List<String> asked() {
    return asked;
  }

  @Override
  public CompletableFuture<List<InetAddress>> resolve(String host) {
    asked.add(host);
    if (silent.contains(host)) {
      return new CompletableFuture<>();
    }
    Deque<List<InetAddress>> left = answers.get(host);
    if (left == null) {
      return CompletableFuture.failedFuture(new UnknownHostException(host));
    }
    synchronized (left) {
      return CompletableFuture.completedFuture(
          left.size() > 1 ? left.removeFirst() : left.getFirst());
    }
  }

  public static InetAddress address(String literal) {
    return Objects.requireNonNull(NetUtil.createInetAddressFromIpAddressString(literal), literal);
  }
}
