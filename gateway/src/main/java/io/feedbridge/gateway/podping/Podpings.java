package io.feedbridge.gateway.podping;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.intake.FollowedPings;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.sql.Store;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the blocks of Hive by their numbers. A message of Podping for a feed that is followed is
 * a light ping: nothing that it says is believed. One call is under way at a time.
 */
public final class Podpings implements AutoCloseable {

  /** The time between two blocks. */
  static final Duration BLOCK = Duration.ofSeconds(3);

  /** Blocks behind the newest; older ones are skipped. */
  static final int MAX_BEHIND = 1_200;

  /** Blocks of one call. */
  static final int MAX_BLOCKS = 20;

  /** Blocks that are read again where the chain has other ones than the ones that were read. */
  static final int FORK = 20;

  /** URLs of one block, of accounts that may ping, that are looked up. */
  static final int MAX_URLS = 1_000;

  /** Accounts that may ping. */
  static final int MAX_ACCOUNTS = 2_000;

  /** Blocks after which the position is stored: pings that come twice do no harm. */
  private static final int STORED_EVERY = 20;

  private static final Duration ACCOUNTS_EVERY = Duration.ofHours(1);
  private static final Duration PAUSE = Duration.ofSeconds(10);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  private static final Logger log = LoggerFactory.getLogger(Podpings.class);

  private final Store store;
  private final FollowedPings followed;
  private final Sender client;
  private final HiveNode node;
  private final BooleanSupplier owns;
  private final Timer timer;
  private final Pump pump;
  private final AtomicLong block = new AtomicLong();
  private final AtomicLong pings = new AtomicLong();
  private final AtomicLong skipped = new AtomicLong();
  private volatile long head;
  private volatile boolean up;

  // Only the pump's step touches these.
  private @Nullable Question asked;
  private final Set<String> accounts = new TreeSet<>();
  private TreeSet<String> nextAccounts = new TreeSet<>();
  private Instant accountsUntil = Instant.MIN;
  private Instant restUntil = Instant.MIN;
  private Duration pause = PAUSE;
  private String last = "";
  private long stored = -1;
  private int most = MAX_BLOCKS;

  /** A call that is under way. */
  private record Question(Kind kind, CompletableFuture<Reply> answer) {
    enum Kind {
      ACCOUNTS,
      HEAD,
      BLOCKS
    }
  }

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param url of a Hive API node
   * @param owns whether this process is the one that follows the blocks for the store
   * @param executor for the store, which blocks
   */
  public Podpings(
      Store store,
      Intake intake,
      Sender client,
      URI url,
      BooleanSupplier owns,
      Executor executor,
      Timer timer) {
    this.store = store;
    followed = new FollowedPings(store.feeds(), intake);
    this.client = client;
    this.owns = owns;
    this.timer = timer;
    node = new HiveNode(url);
    pump = new Pump("podping", this::step, executor, timer);
  }

  /** Shows its numbers. */
  public Podpings watchedBy(Meters meters) {
    meters.gauge("feedbridge.podping.up", "1 while the Hive node answers", () -> up ? 1 : 0);
    meters.gauge(
        "feedbridge.podping.behind",
        "Blocks of Hive whose pings are not taken yet",
        () -> Math.max(0, head - block.get()));
    meters.total("feedbridge.podping.pings", "Pings of Podping for followed feeds", pings::get);
    meters.total("feedbridge.podping.skipped", "Blocks of Hive that were skipped", skipped::get);
    return this;
  }

  /** Follows the blocks behind the stored one, or behind the newest. */
  public void start() {
    pump.start();
  }

  private Optional<Instant> step() {
    Instant now = timer.clock().instant();
    if (asked != null) {
      if (!asked.answer.isDone()) {
        return Optional.empty();
      }
      Question done = asked;
      asked = null;
      take(done, now);
    }
    if (restUntil.isAfter(now)) {
      return Optional.of(restUntil);
    }
    if (!owns.getAsBoolean()) {
      stored = -1;
      return Optional.of(now.plus(PAUSE));
    }
    if (stored < 0) {
      stored = store.podping().get();
      block.set(stored);
      last = "";
    }
    ask(now);
    return Optional.empty();
  }

  private void ask(Instant now) {
    long position = block.get();
    if (!accountsUntil.isAfter(now)) {
      String from = nextAccounts.isEmpty() ? "" : nextAccounts.last();
      ask(Question.Kind.ACCOUNTS, node.accounts(from));
    } else if (position >= head || position == 0) {
      ask(Question.Kind.HEAD, node.head());
    } else {
      int count = (int) Math.min(most, head - position);
      ask(Question.Kind.BLOCKS, node.blocks(position + 1, count));
    }
  }

  private void ask(Question.Kind kind, Call call) {
    CompletableFuture<Reply> answer = client.send(call);
    asked = new Question(kind, answer);
    var unused = answer.whenComplete((reply, failure) -> pump.wake());
  }

  private void take(Question question, Instant now) {
    try {
      Reply reply = question.answer.join();
      switch (question.kind) {
        case ACCOUNTS -> accounts(HiveNode.accounts(reply), now);
        case HEAD -> head(HiveNode.head(reply), now);
        case BLOCKS -> blocks(HiveNode.blocks(reply), now);
      }
      if (!up) {
        log.atInfo().addKeyValue("block", block.get()).log("The Hive node answers");
      }
      up = true;
      pause = PAUSE;
    } catch (CompletionException | BadHiveAnswerException e) {
      failed(question.kind, e, now);
    }
  }

  private void failed(Question.Kind kind, Exception e, Instant now) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    if (cause instanceof CallException call
        && call.failure() == CallException.Failure.TOO_LARGE
        && kind == Question.Kind.BLOCKS) {
      if (most == 1) {
        skip(block.get() + 1, "its block is too large");
      }
      most = Math.max(1, most / 2);
      return;
    }
    if (up || pause.equals(PAUSE)) {
      log.atWarn()
          .addKeyValue("call", kind)
          .addKeyValue("error", String.valueOf(cause.getMessage()))
          .log("The Hive node does not answer as it should: pings of Podping wait");
    }
    up = false;
    restUntil = now.plus(pause);
    pause =
        pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
  }

  private void accounts(List<String> page, Instant now) {
    int before = nextAccounts.size();
    nextAccounts.addAll(page);
    boolean more =
        page.size() >= HiveNode.ACCOUNTS
            && nextAccounts.size() > before
            && nextAccounts.size() < MAX_ACCOUNTS;
    if (!more) {
      accounts.clear();
      accounts.addAll(nextAccounts);
      nextAccounts = new TreeSet<>();
      accountsUntil = now.plus(ACCOUNTS_EVERY);
    }
  }

  private void head(long newest, Instant now) {
    head = newest;
    if (block.get() == 0) {
      block.set(newest);
      save(true);
    } else if (newest - block.get() > MAX_BEHIND) {
      skip(newest - MAX_BEHIND, "they are older than an hour");
    }
    if (block.get() >= newest) {
      restUntil = now.plus(BLOCK);
    }
  }

  /** Passes over blocks up to one. */
  private void skip(long to, String reason) {
    skipped.addAndGet(to - block.get());
    log.atWarn()
        .addKeyValue("after", block.get())
        .addKeyValue("upTo", to)
        .addKeyValue("reason", reason)
        .log("Blocks of Hive are skipped, whose pings are lost");
    block.set(to);
    last = "";
  }

  private void blocks(List<HiveBlock> read, Instant now) {
    long before = block.get();
    Set<String> urls = new LinkedHashSet<>();
    for (HiveBlock one : read) {
      if (one.number() != block.get() + 1) {
        break;
      }
      if (!last.isEmpty() && !last.equals(one.previous())) {
        log.atInfo()
            .addKeyValue("block", one.number())
            .log("The chain of Hive has other blocks now, which are read again");
        block.set(Math.max(1, block.get() - FORK));
        last = "";
        break;
      }
      one.pings().stream()
          .filter(ping -> accounts.contains(ping.account()))
          .flatMap(ping -> ping.urls().stream())
          .limit(MAX_URLS)
          .forEach(urls::add);
      block.set(one.number());
      last = one.id();
    }
    if (block.get() == before) {
      restUntil = now.plus(BLOCK);
    }
    urls.forEach(this::ping);
    most = MAX_BLOCKS;
    save(false);
  }

  private void ping(String url) {
    if (FollowedPings.topic(url).filter(followed::ping).isPresent()) {
      pings.incrementAndGet();
    }
  }

  private void save(boolean atOnce) {
    long position = block.get();
    if (atOnce || position - stored >= STORED_EVERY || position < stored) {
      store.podping().set(position).join();
      stored = position;
    }
  }

  @Override
  public void close() {
    pump.close();
  }
}
