package io.feedbridge.gateway.delivery.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.gateway.webhook.targets.Target;
import io.feedbridge.gateway.webhook.targets.Targets;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.normalizer.Served;
import io.feedbridge.normalizer.Status;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What is done for each delivery, its signature, and what is done once for each event, its
 * documents: of one entry of 10 KB.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class DeliveryBench {

  private static final int CONTENT = 9_300;
  private static final String TOPIC = "https://harbour.example/feed/";
  private static final NewsDocuments DOCUMENTS =
      new NewsDocuments(new BridgedUrls(URI.create("https://hub.example")));
  private static final String SECRET = "a secret of thirty-two characters";
  private static final String ALGORITHM = "HmacSHA256";
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private final WebhookSecret webhookSecret =
      WebhookSecret.make(WebhookSecret.Scheme.SHARED, new Random(1));
  private final Target target =
      Targets.of("https://app.example/hook", Webhook.Target.STANDARD);
  private final Header userAgent = new Header("User-Agent", "Feedbridge");
  private List<Event> events = List.of();
  private byte[] body = {};

  @Setup
  public void setUp() throws FeedParseException {
    Served served = Served.at(URI.create(TOPIC), "application/atom+xml");
    Feed feed = new FeedParser().parse(document().getBytes(UTF_8), served);
    Update update = new Update(feed, List.of(), Status.of(TOPIC), true);
    events = List.of(new Event(1, 1, NOW, Via.PING, update));
    body = render(Format.ATOM);
  }

  private static String document() {
    return """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
          <title>Harbour notes</title><id>urn:harbour</id><updated>2026-03-01T12:00:00Z</updated>
          <entry>
            <title>What the tide brought in</title><id>urn:harbour:1</id>
            <link rel="alternate" href="https://harbour.example/1.html"/>
            <author><name>An author</name></author>
            <published>2026-03-01T12:00:00Z</published><updated>2026-03-01T12:00:00Z</updated>
            <content type="html">%s</content>
          </entry>
        </feed>
        """
        .formatted("&lt;p&gt;Rope, anchor and sail.&lt;/p&gt;\n".repeat(CONTENT / 40));
  }

  /** As a round does it: bundles keep what they have rendered, so each time another one. */
  private byte[] render(Format format) {
    Terms terms = new Terms(TOPIC, format, SECRET, "sha256", false, false, Duration.ofDays(1));
    return new Bundle(events, true, Optional::empty, DOCUMENTS).render(0, terms).orElseThrow().body();
  }

  @Benchmark
  public byte[] renderAtom() {
    return render(Format.ATOM);
  }

  @Benchmark
  public byte[] renderJson() {
    return render(Format.JSON);
  }

  @Benchmark
  public byte[] renderRss() {
    return render(Format.RSS);
  }

  @Benchmark
  public String signWebSub() {
    return Signature.sign(SignatureMethod.SHA256, SECRET, body);
  }

  @Benchmark
  public Object signWebhook() {
    return target.call(new WebhookMessage("msg_1", body), List.of(webhookSecret), NOW);
  }

  /** What a signature cannot go without. */
  @Benchmark
  public byte[] bareHmac() throws GeneralSecurityException {
    Mac mac = Mac.getInstance(ALGORITHM);
    mac.init(new SecretKeySpec(SECRET.getBytes(UTF_8), ALGORITHM));
    return mac.doFinal(body);
  }
}
