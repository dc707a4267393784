package io.feedbridge.gateway.firehose;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.intake.FollowedPings;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.Store;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens at the socket of a FeedLand or rss.chat server. A message about a feed that is followed
 * is a light ping: nothing that it says is believed. A connection that ends is made again.
 */
public final class Firehose implements AutoCloseable {

  /** Characters of a message; a longer one is left out. */
  static final int MAX_MESSAGE = 1 << 20;

  /** Feeds of which a further message within {@link #REPEAT} is no other ping. */
  static final int MAX_FEEDS = 10_000;

  /** The time in which the server may repeat a message. */
  static final Duration REPEAT = Duration.ofSeconds(10);

  /** A server that says nothing for so long, and answers no ping, is gone. */
  static final Duration SILENT = Duration.ofSeconds(90);

  private static final Duration LOOK = Duration.ofSeconds(30);
  private static final Duration CONNECT = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
  private static final String ITEM = "item";
  private static final String FEED = "theFeed";
  private static final String URL = "feedUrl";

  private static final Logger log = LoggerFactory.getLogger(Firehose.class);

  private final FollowedPings followed;
  private final URI url;
  private final BooleanSupplier owns;
  private final Timer timer;
  private final Pump pump;
  private final HttpClient client;
  private final Cache<String, Boolean> recent;
  private final AtomicLong pings = new AtomicLong();
  private volatile boolean up;

  // Only the pump's step touches these.
  private @Nullable Line line;
  private Duration pause = PAUSE;
  private Instant restUntil = Instant.MIN;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param url of the socket, {@code ws} or {@code wss}
   * @param owns whether this process is the one that listens for the store
   * @param executor for the store, which blocks
   */
  public Firehose(
      Store store, Intake intake, URI url, BooleanSupplier owns, Executor executor, Timer timer) {
    followed = new FollowedPings(store.feeds(), intake);
    this.url = url;
    this.owns = owns;
    this.timer = timer;
    recent =
        Caffeine.newBuilder()
            .maximumSize(MAX_FEEDS)
            .expireAfterWrite(REPEAT)
            .ticker(() -> Duration.between(Instant.EPOCH, timer.clock().instant()).toNanos())
            .build();
    client = HttpClient.newBuilder().executor(executor).build();
    pump = new Pump("firehose", this::step, executor, timer);
  }

  /** Shows its numbers. */
  public Firehose watchedBy(Meters meters) {
    meters.gauge("feedbridge.firehose.up", "1 while the firehose is connected", () -> up ? 1 : 0);
    meters.total(
        "feedbridge.firehose.pings", "Pings of the firehose for followed feeds", pings::get);
    return this;
  }

  /** Connects, and listens. */
  public void start() {
    pump.start();
  }

  private Optional<Instant> step() {
    Instant now = timer.clock().instant();
    Line open = line;
    if (!owns.getAsBoolean()) {
      end(open);
      return Optional.of(now.plus(LOOK));
    }
    if (open != null && open.over.isDone()) {
      ended(open, now);
      open = null;
    }
    if (open == null) {
      if (restUntil.isAfter(now)) {
        return Optional.of(restUntil);
      }
      connect(now);
      return Optional.of(now.plus(CONNECT));
    }
    if (open.heard.plus(SILENT).isBefore(now)) {
      open.over.complete("it is silent");
      return Optional.of(now);
    }
    open.ask();
    return Optional.of(now.plus(LOOK));
  }

  private void connect(Instant now) {
    Line next = new Line(now);
    line = next;
    var unused = next.over.whenComplete((why, failure) -> pump.wake());
    var unusedNext =
        client
            .newWebSocketBuilder()
            .connectTimeout(CONNECT)
            .buildAsync(url, next)
            .whenComplete(
                (socket, failure) -> {
                  if (failure != null) {
                    next.over.complete(String.valueOf(failure.getMessage()));
                  }
                });
  }

  private void ended(Line open, Instant now) {
    end(open);
    if (open.lasted(now).compareTo(LONGEST_PAUSE) > 0) {
      pause = PAUSE;
    }
    restUntil = now.plus(pause);
    log.atWarn()
        .addKeyValue("url", url)
        .addKeyValue("reason", open.over.join())
        .addKeyValue("again", restUntil)
        .log("The firehose is not connected: pings of it are missing");
    Duration twice = pause.multipliedBy(2);
    pause = twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
  }

  private void end(@Nullable Line open) {
    up = false;
    line = null;
    if (open != null) {
      open.over.complete("it is given up");
      open.abort();
    }
  }

  /** A connection; the socket calls it by one thread at a time. */
  private final class Line implements WebSocket.Listener {
    private final CompletableFuture<String> over = new CompletableFuture<>();
    private final Instant since;
    private final StringBuilder message = new StringBuilder();
    private boolean tooLong;
    private volatile Instant heard;
    private volatile @Nullable WebSocket socket;

    Line(Instant now) {
      since = now;
      heard = now;
    }

    Duration lasted(Instant now) {
      return Duration.between(since, now);
    }

    void ask() {
      WebSocket asked = socket;
      if (asked != null) {
        var unused =
            asked
                .sendPing(ByteBuffer.allocate(0))
                .whenComplete(
                    (sent, failure) -> {
                      if (failure != null) {
                        over.complete(String.valueOf(failure.getMessage()));
                      }
                    });
      }
    }

    void abort() {
      WebSocket ended = socket;
      if (ended != null) {
        ended.abort();
      }
    }

    @Override
    public void onOpen(WebSocket opened) {
      socket = opened;
      if (over.isDone()) {
        opened.abort();
        return;
      }
      up = true;
      log.atInfo().addKeyValue("url", url).log("The firehose is connected");
      opened.request(1);
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      heard = timer.clock().instant();
      tooLong |= message.length() + data.length() > MAX_MESSAGE;
      if (!tooLong) {
        message.append(data);
      }
      if (last) {
        try {
          feed(tooLong ? "" : message.toString()).ifPresent(Firehose.this::ping);
        } catch (RuntimeException refused) {
          log.atWarn()
              .addKeyValue("reason", String.valueOf(refused))
              .log("A message of the firehose was no ping: the store took none");
        } finally {
          message.setLength(0);
          tooLong = false;
        }
      }
      from.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onPong(WebSocket from, ByteBuffer payload) {
      heard = timer.clock().instant();
      from.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
      over.complete("the server closed it with status " + status);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onError(WebSocket from, Throwable failure) {
      over.complete(String.valueOf(failure.getMessage()));
    }
  }

  /** The feed that a message is about: a verb, a carriage return, and JSON. */
  static Optional<String> feed(String message) {
    int end = message.indexOf('\r');
    String verb = message.substring(0, Math.max(0, end));
    if (!verb.equals("newItem") && !verb.equals("updatedItem") && !verb.equals("updatedFeed")) {
      return Optional.empty();
    }
    Map<?, ?> json;
    try {
      json = Json.read(message.substring(end + 1).getBytes(StandardCharsets.UTF_8), Map.class);
    } catch (StoreException noJson) {
      return Optional.empty();
    }
    return url(json.get(ITEM)).or(() -> url(json.get(FEED))).or(() -> url(json));
  }

  private static Optional<String> url(@Nullable Object of) {
    return of instanceof Map<?, ?> members && members.get(URL) instanceof String url
        ? Optional.of(url)
        : Optional.empty();
  }

  private void ping(String feed) {
    boolean pinged =
        FollowedPings.topic(feed)
            .filter(topic -> recent.asMap().putIfAbsent(topic, true) == null)
            .filter(followed::ping)
            .isPresent();
    if (pinged) {
      pings.incrementAndGet();
    }
  }

  /** Ends the connection. */
  @Override
  public void close() {
    pump.close();
    end(line);
  }
}
