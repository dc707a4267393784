package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.bench.data.Hosts;
import io.feedbridge.gateway.bench.data.Sample;
import io.netty.handler.codec.http.FullHttpRequest;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The requests to one host: its connections take one after the other. Thread-safe. */
final class ReferenceShare implements Requests {

  private final Sample sample;
  private final int subscriptions;
  private final int step;
  private final String authority;
  private final long event;
  private final AtomicInteger next;

  ReferenceShare(Sample sample, Hosts hosts, int host, int subscriptions, long event) {
    this.sample = sample;
    this.subscriptions = subscriptions;
    step = hosts.count();
    authority = Hosts.address(host) + ":" + hosts.port();
    this.event = event;
    next = new AtomicInteger(host);
  }

  @Override
  public @Nullable FullHttpRequest next() {
    int subscription = next.getAndAdd(step);
    return subscription < subscriptions ? sample.request(subscription, authority, event) : null;
  }
}
