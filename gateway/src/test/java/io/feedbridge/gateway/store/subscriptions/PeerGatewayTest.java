package io.feedbridge.gateway.store.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerGatewayTest {

  @ParameterizedTest
  @ValueSource(strings = {"/hub", "/pleaseNotify", "/rsscloud/pleaseNotify", "/RPC2", "/soap"})
  void is_known_by_where_it_takes_subscriptions(String path) {
    PeerGateway peer = PeerGateway.at("https://peer.example/bridge" + path).orElseThrow();

    assertThat(peer.base()).isEqualTo("https://peer.example/bridge");
    assertThat(peer.isCalledAt("https://peer.example/bridge/callback/websub/x")).isTrue();
    assertThat(peer.isCalledAt("https://peer.example/bridge/callback/rsscloud/x")).isTrue();
  }

  @Test
  void is_nobody_else_of_its_host() {
    PeerGateway peer = PeerGateway.at("https://peer.example/hub").orElseThrow();

    assertThat(peer.isCalledAt("https://peer.example/callback")).isFalse();
    assertThat(peer.isCalledAt("https://peer.example/bridge/callback/websub/x")).isFalse();
    assertThat(peer.isCalledAt("https://peer.example.org/callback/websub/x")).isFalse();
    assertThat(PeerGateway.at("https://peer.example/")).isEmpty();
  }
}
