package io.feedbridge.gateway.bench.parts;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.bench.data.Hosts;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the sink counts: a run whose deliveries are not all there, once each and right, fails. */
class RollTest {

  private static final int SUBSCRIPTIONS = 3;

  private final SinkBook book = new SinkBook(SUBSCRIPTIONS);

  private CompletableFuture<Roll.Arrivals> begin(boolean signed) {
    return book.begin(Hosts.Sender.GATEWAY, SUBSCRIPTIONS, 1, signed, "the mark", 0);
  }

  private void delivery(int subscription, long event, String signature, String body) {
    String text =
        "POST /s/%d HTTP/1.1\r\nHost: a\r\nFeedbridge-Event: %d\r\n%sContent-Length: %d\r\n\r\n"
            .formatted(
                subscription,
                event,
                signature.isEmpty() ? "" : "X-Hub-Signature: " + signature + "\r\n",
                body.length());
    SinkHead head = new SinkHead();
    for (byte next : text.getBytes(StandardCharsets.US_ASCII)) {
      head.add(next);
    }
    head.parse();
    assertThat(head.bodyLength).isEqualTo(body.length());
    book.came(head, body.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void a_batch_is_complete_when_everybody_has_it() {
    CompletableFuture<Roll.Arrivals> batch = begin(false);

    delivery(0, 7, "", "has the mark");
    delivery(2, 7, "", "has the mark");
    assertThat(batch).isNotDone();
    delivery(1, 7, "", "has the mark");

    assertThat(batch).isDone();
    assertThat(batch.join().doubled()).isZero();
    assertThat(batch.join().wrong()).isZero();
    assertThat(batch.join().checked()).isEqualTo(SUBSCRIPTIONS);
  }

  @Test
  void one_that_comes_twice_is_doubled_and_stands_for_no_other() {
    CompletableFuture<Roll.Arrivals> batch = begin(false);

    delivery(0, 7, "", "has the mark");
    delivery(0, 7, "", "has the mark");
    delivery(1, 7, "", "has the mark");

    assertThat(batch).isNotDone();
    assertThat(book.arrivals().doubled()).isOne();
    assertThat(book.arrivals().received()).isEqualTo(2);
  }

  @Test
  void another_document_is_wrong() {
    var unused = begin(false);

    delivery(0, 7, "", "something else");

    assertThat(book.arrivals().wrong()).isOne();
  }

  @Test
  void a_signature_must_be_there_and_be_that_of_the_body() {
    var unused = begin(true);

    delivery(0, 7, "", "has the mark");
    delivery(1, 7, "sha256=" + "0".repeat(64), "has the mark");

    assertThat(book.arrivals().wrong()).isGreaterThanOrEqualTo(2);
  }
}
