package io.feedbridge.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.TestGateway;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stranger cannot make the gateway ask itself, with the trust that a local request has. */
class OwnAddressTest {

  @Test
  void the_operators_list_is_no_topic_and_its_import_no_callback(@TempDir Path data) {
    try (TestGateway gateway = TestGateway.on(data);
        FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber()) {
      String list = gateway.url("/api/v1/subscriptions");

      String feed = origin.rss("feed.xml", "");
      gateway.subscribe(list, subscriber.url("hook"), "hub.format", "raw");
      gateway.subscribe(feed, gateway.url("/api/v1/import"));
      gateway.settle();

      String explained = gateway.get("/api/v1/explain?url=" + list).body();
      assertThat(explained).contains("is this gateway itself");
      assertThat(gateway.get("/api/v1/subscriptions?topic=" + feed).body())
          .doesNotContain("\"state\":\"active\"");
    }
  }
}
