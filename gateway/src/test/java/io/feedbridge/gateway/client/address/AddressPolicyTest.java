package io.feedbridge.gateway.client.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPolicyTest {
  private final AddressPolicy strict = AddressPolicy.allowing(List.of(), List.of());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "168.63.129.16",
        "::",
        "::1",
        "::7f00:1",
        "::808:808",
        "64:ff9b::7f00:1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "64:ff9b:1::808:808",
        "100::1",
        "2001::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:10::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "2002:808:808::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fe80::a9fe:a9fe",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
        "4000::1",
        "8000::1",
        "e000::1"
      })
  void an_address_outside_the_public_internet_is_refused(String literal) {
    assertThat(strict.permits(Purpose.FETCH, FakeResolver.address(literal))).isFalse();
    assertThat(strict.permits(Purpose.CALLBACK, FakeResolver.address(literal))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.1.1.1",
        "8.8.8.8",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "172.15.255.255",
        "172.32.0.1",
        "168.63.129.15",
        "192.0.1.1",
        "192.167.255.255",
        "198.17.255.255",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450::1",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2003::1",
        "3ffe::1",
        "64:ff9b::808:808"
      })
  void a_public_address_is_permitted(String literal) {
    assertThat(strict.permits(Purpose.FETCH, FakeResolver.address(literal))).isTrue();
    assertThat(strict.permits(Purpose.CALLBACK, FakeResolver.address(literal))).isTrue();
  }

  @Test
  void an_IPv4_address_mapped_into_IPv6_is_judged_as_itself() throws UnknownHostException {
    assertThat(strict.permits(Purpose.FETCH, mapped("127.0.0.1"))).isFalse();
    assertThat(strict.permits(Purpose.FETCH, mapped("169.254.169.254"))).isFalse();
    assertThat(strict.permits(Purpose.FETCH, mapped("8.8.8.8"))).isTrue();
  }

  /** Kept as sixteen bytes, which the usual factory would turn back into IPv4. */
  private static InetAddress mapped(String ipv4) throws UnknownHostException {
    byte[] bytes = new byte[16];
    bytes[10] = -1;
    bytes[11] = -1;
    System.arraycopy(FakeResolver.address(ipv4).getAddress(), 0, bytes, 12, 4);
    Inet6Address address = Inet6Address.getByAddress(null, bytes, -1);
    assertThat(address.getAddress()).hasSize(16);
    return address;
  }

  @Nested
  class Exceptions {
    @Test
    void hold_for_their_own_purpose_only() {
      AddressPolicy policy =
          AddressPolicy.allowing(List.of("10.0.0.0/8", "fd00::/8"), List.of("192.168.1.7"));

      assertThat(policy.permits(Purpose.FETCH, FakeResolver.address("10.1.2.3"))).isTrue();
      assertThat(policy.permits(Purpose.CALLBACK, FakeResolver.address("10.1.2.3"))).isFalse();
      assertThat(policy.permits(Purpose.FETCH, FakeResolver.address("fd12::1"))).isTrue();
      assertThat(policy.permits(Purpose.FETCH, FakeResolver.address("fc00::1"))).isFalse();
      assertThat(policy.permits(Purpose.CALLBACK, FakeResolver.address("192.168.1.7"))).isTrue();
      assertThat(policy.permits(Purpose.CALLBACK, FakeResolver.address("192.168.1.8"))).isFalse();
      assertThat(policy.permits(Purpose.FETCH, FakeResolver.address("192.168.1.7"))).isFalse();
    }

    @Test
    void of_IPv4_hold_behind_NAT64_too() {
      AddressPolicy policy = AddressPolicy.allowing(List.of("10.0.0.0/8"), List.of());

      assertThat(policy.permits(Purpose.FETCH, FakeResolver.address("64:ff9b::a00:1"))).isTrue();
      assertThat(policy.permits(Purpose.FETCH, FakeResolver.address("64:ff9b::7f00:1"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "/8",
          "localhost",
          "example.com/8",
          "10.0.0.0/33",
          "10.0.0.0/-1",
          "10.0.0.0/",
          "10.0.0.0/8/8",
          "fd00::/129",
          "10.0.0/8",
          "fe80::1%eth0/64",
          "10.0.0.0/99999999999"
        })
    void that_are_no_network_are_refused_by_name(String cidr) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> AddressPolicy.allowing(List.of(cidr), List.of()))
          .withMessageContaining("'" + cidr + "'");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {21, 22, 23, 25, 53, 110, 143, 465, 587, 993, 995, 2049, 6667})
  void a_port_of_mail_chat_or_file_servers_is_refused(int port) {
    assertThat(strict.permitsPort(port)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {80, 443, 3000, 5337, 8080, 8443, 49152})
  void any_other_port_is_permitted(int port) {
    assertThat(strict.permitsPort(port)).isTrue();
  }

  @Test
  void the_loopback_of_this_machine_is_refused() {
    assertThat(strict.permits(Purpose.FETCH, NetUtil.LOCALHOST)).isFalse();
    assertThat(strict.permits(Purpose.FETCH, NetUtil.LOCALHOST6)).isFalse();
  }
}
