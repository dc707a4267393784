package io.feedbridge.gateway.client.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.resolver.dns.DnsCacheEntry;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class DnsTtlCacheTest {
  private static final EventLoop LOOP = new DefaultEventLoop();
  private static final DnsRecord[] NONE = {};

  private final AtomicLong nanos = new AtomicLong();
  private final DnsTtlCache cache = new DnsTtlCache(100, nanos::get);

  @AfterAll
  static void stop() {
    assertThat(LOOP.shutdownGracefully(0, 0, TimeUnit.SECONDS)).isNotNull();
  }

  private void add(String name, String address, long ttl) {
    cache.cache(name, NONE, FakeResolver.address(address), ttl, LOOP);
  }

  private void pass(Duration span) {
    nanos.addAndGet(span.toNanos());
  }

  private List<String> addresses(String name) {
    @Nullable List<? extends DnsCacheEntry> entries = cache.get(name, NONE);
    return entries == null
        ? List.of()
        : entries.stream().map(e -> e.address().getHostAddress()).toList();
  }

  @Test
  void an_answer_lives_for_its_time_to_live() {
    add("h.example.", "1.1.1.1", 60);

    pass(Duration.ofSeconds(59));
    assertThat(addresses("H.example")).containsExactly("1.1.1.1");
    pass(Duration.ofSeconds(2));
    assertThat(addresses("h.example")).isEmpty();
  }

  @Test
  void the_shortest_time_to_live_of_an_answer_holds_for_all_of_it() {
    add("h.example", "1.1.1.1", 60);
    add("h.example", "1.1.1.2", 5);
    add("h.example", "1.1.1.3", 60);

    assertThat(addresses("h.example")).containsExactly("1.1.1.1", "1.1.1.2", "1.1.1.3");
    pass(Duration.ofSeconds(6));
    assertThat(addresses("h.example")).isEmpty();
  }

  @Test
  void a_time_to_live_of_zero_is_a_second() {
    add("h.example", "1.1.1.1", 0);

    pass(DnsTtlCache.MIN_TTL.minusMillis(1));
    assertThat(addresses("h.example")).isNotEmpty();
    pass(Duration.ofMillis(2));
    assertThat(addresses("h.example")).isEmpty();
  }

  @Test
  void a_time_to_live_of_a_year_is_an_hour() {
    add("h.example", "1.1.1.1", 31_536_000);

    pass(DnsTtlCache.MAX_TTL.minusSeconds(1));
    assertThat(addresses("h.example")).isNotEmpty();
    pass(Duration.ofSeconds(2));
    assertThat(addresses("h.example")).isEmpty();
  }

  @Test
  void that_a_name_is_unknown_is_remembered_briefly() {
    UnknownHostException unknown = new UnknownHostException("h.example");
    cache.cache("h.example", NONE, unknown, LOOP);

    assertThat(cache.get("h.example", NONE))
        .singleElement()
        .extracting(DnsCacheEntry::cause)
        .isSameAs(unknown);
    pass(DnsTtlCache.NEGATIVE_TTL.plusSeconds(1));
    assertThat(cache.get("h.example", NONE)).isNull();
  }

  @Test
  void an_address_takes_the_place_of_a_failure_and_not_the_other_way_round() {
    cache.cache("h.example", NONE, new UnknownHostException("h.example"), LOOP);
    add("h.example", "1.1.1.1", 60);
    cache.cache("h.example", NONE, new UnknownHostException("h.example"), LOOP);

    assertThat(addresses("h.example")).containsExactly("1.1.1.1");
  }

  @Test
  void an_answer_has_a_bounded_number_of_addresses() {
    for (int i = 0; i < 2 * DnsTtlCache.MAX_ADDRESSES; i++) {
      add("h.example", "1.1.1." + i, 60);
    }

    assertThat(addresses("h.example")).hasSize(DnsTtlCache.MAX_ADDRESSES);
  }

  @Test
  void the_same_address_twice_is_there_once() {
    add("h.example", "1.1.1.1", 60);
    add("h.example", "1.1.1.1", 60);

    assertThat(addresses("h.example")).containsExactly("1.1.1.1");
  }

  @Test
  void an_answer_to_a_query_with_additional_records_is_not_cached() {
    DnsRecord[] additionals = {new DefaultDnsQuestion("x.example.", DnsRecordType.A)};
    cache.cache("h.example", additionals, FakeResolver.address("1.1.1.1"), 60, LOOP);

    assertThat(cache.get("h.example", NONE)).isNull();
  }

  @Test
  void clearing_forgets() {
    add("a.example", "1.1.1.1", 60);
    add("b.example", "1.1.1.1", 60);

    assertThat(cache.clear("a.example")).isTrue();
    assertThat(cache.clear("a.example")).isFalse();
    assertThat(addresses("b.example")).isNotEmpty();
    cache.clear();
    assertThat(addresses("b.example")).isEmpty();
  }
}
