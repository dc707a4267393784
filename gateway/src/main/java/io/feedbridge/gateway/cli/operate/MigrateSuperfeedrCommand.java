package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.feedbridge.gateway.cli.operate.SuperfeedrAccount.Listed;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import io.feedbridge.gateway.cli.remote.GatewayOptions;
import io.feedbridge.gateway.store.Json;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code feedbridge migrate-superfeedr}: makes the subscriptions of an account there here. */
@Command(
    name = "migrate-superfeedr",
    description =
        "Reads the subscriptions of an account at Superfeedr page by page, and makes them at a"
            + " gateway, with callback, format and secret. At Superfeedr nothing changes. It can"
            + " be stopped, and goes on where it was when it is called again.",
    footer = {
      "",
      "It needs the gateway's admin token. It ends with 0 when all subscriptions are made, with 1"
          + " when some are not, or one of the two services could not be read, with 2 when the"
          + " arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class MigrateSuperfeedrCommand extends RemoteCommand {

  /** Subscriptions that are made at once. */
  private static final int AT_ONCE = 8;

  /** Pages in a row that cannot be read, after which it ends. */
  private static final int MOST_UNREAD = 2;

  private static final int UNAUTHORIZED = 401;

  private static final Pattern TRACKER =
      Pattern.compile(
          "(?i)https?://(?:track\\.superfeedr\\.com/|push\\.superfeedr\\.com/track)\\?(?:.*&)?query=([^&]+).*");

  @Option(names = "--login", required = true, paramLabel = "LOGIN", description = "The account.")
  private String login = "";

  @Option(
      names = "--superfeedr-token",
      paramLabel = "TOKEN",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description =
          "A token of the account with the right to list. Other users of this machine can read the"
              + " command line: FEEDBRIDGE_SUPERFEEDR_TOKEN is safer.")
  private String token = "";

  @Option(
      names = "--superfeedr-token-file",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description = "The file that holds the token, in place of --superfeedr-token.")
  private String tokenFile = "";

  @Option(
      names = "--from",
      paramLabel = "URL",
      defaultValue = "https://push.superfeedr.com",
      showDefaultValue = Visibility.ALWAYS,
      description = "Where the account is.")
  private String from = "";

  @Option(
      names = "--secrets",
      paramLabel = "FILE",
      description =
          "The secrets of callbacks, which Superfeedr does not list: on each line a callback, a"
              + " blank and its secret. Subscriptions without one are not signed.")
  private Path secrets = Path.of("");

  @Option(
      names = "--verified",
      description =
          "Do not ask the callbacks: they are yours. By default each must return a challenge.")
  private boolean verified;

  @Option(
      names = "--state",
      paramLabel = "FILE",
      defaultValue = "superfeedr-migration.json",
      showDefaultValue = Visibility.ALWAYS,
      description = "The file that holds where it goes on; removed at the end.")
  private Path state = Path.of("");

  /**
   * Where it goes on.
   *
   * @param next the next page
   * @param unread pages before that one that could not be read
   */
  record Progress(String from, String login, int next, TreeSet<Integer> unread) {}

  /** A subscription's result: {@code made}, {@code refused} or {@code unmovable}. */
  private record Result(Listed listed, String result, String reason) {}

  @Override
  int run(GatewayClient client) throws GatewayException {
    String shown = GatewayOptions.secret(spec(), "--superfeedr-token", token, tokenFile);
    Map<String, String> known = secrets();
    String base = GatewayOptions.site(spec(), "--from", from);
    SuperfeedrAccount account = new SuperfeedrAccount(GatewayClient.ofAccount(base, login, shown));
    Progress progress = progress(base);
    Map<String, Integer> counts = new HashMap<>();
    for (int page : List.copyOf(progress.unread)) {
      if (move(client, account, page, known, counts) >= 0) {
        progress.unread.remove(page);
        save(progress);
      }
    }
    int unreadInARow = 0;
    int size = SuperfeedrAccount.PAGE;
    while (size == SuperfeedrAccount.PAGE || unreadInARow > 0) {
      size = move(client, account, progress.next, known, counts);
      unreadInARow = size < 0 ? unreadInARow + 1 : 0;
      if (size < 0) {
        progress.unread.add(progress.next);
      }
      if (unreadInARow == MOST_UNREAD) {
        throw new GatewayException(
            "%d pages in a row could not be read; call it again to go on".formatted(MOST_UNREAD),
            true);
      }
      progress = new Progress(base, login, progress.next + 1, progress.unread);
      save(progress);
    }
    return report(progress, counts);
  }

  private int report(Progress progress, Map<String, Integer> counts) {
    int refused = counts.getOrDefault("refused", 0);
    int unmovable = counts.getOrDefault("unmovable", 0);
    say(
        "%,d made, %,d refused, %,d that cannot be moved, %,d pages unread"
            .formatted(counts.getOrDefault("made", 0), refused, unmovable, progress.unread.size()));
    if (progress.unread.isEmpty()) {
      try {
        Files.deleteIfExists(state);
      } catch (IOException e) {
        complain(state + ": " + e.getMessage());
      }
    } else {
      complain("call it again to read the pages that are missing: " + progress.unread);
    }
    return refused + unmovable + progress.unread.size() == 0 ? 0 : FAILED;
  }

  /** Makes the subscriptions of a page; returns how many there are, -1 if it cannot be read. */
  private int move(
      GatewayClient client,
      SuperfeedrAccount account,
      int page,
      Map<String, String> known,
      Map<String, Integer> counts)
      throws GatewayException {
    List<Listed> listed;
    try {
      listed = account.page(page);
    } catch (GatewayException e) {
      if (!e.isPassing()) {
        throw e;
      }
      complain("page %d: %s".formatted(page, e.reason()));
      return -1;
    }
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<Result>> results = new ArrayList<>();
      listed.forEach(one -> results.add(threads.submit(() -> made(client, one, known))));
      for (Future<Result> result : results) {
        tell(result.get(), counts);
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GatewayException failure) {
        throw failure;
      }
      throw new IllegalStateException("a subscription could not be made", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GatewayException("interrupted", false);
    } finally {
      threads.shutdownNow();
    }
    say("page %d: %,d subscriptions".formatted(page, listed.size()));
    return listed.size();
  }

  private void tell(Result result, Map<String, Integer> counts) {
    counts.merge(result.result, 1, Integer::sum);
    Listed listed = result.listed;
    ObjectNode object =
        JsonNodeFactory.instance
            .objectNode()
            .put("topic", listed.topic())
            .put("callback", listed.endpoint())
            .put("result", result.result);
    tell(result.reason.isEmpty() ? object : object.put("reason", result.reason));
    if (!result.reason.isEmpty()) {
      say(
          "%s: %s to %s: %s"
              .formatted(result.result, listed.topic(), listed.endpoint(), result.reason));
    }
  }

  private Result made(GatewayClient client, Listed listed, Map<String, String> known)
      throws GatewayException {
    String callback = listed.endpoint();
    if (!callback.toLowerCase(Locale.ROOT).startsWith("http")) {
      return new Result(listed, "unmovable", "its callback is no URL");
    }
    String topic = topic(client, listed.topic());
    List<String> form =
        new ArrayList<>(
            List.of(
                "hub.mode",
                "subscribe",
                "hub.topic",
                topic,
                "hub.callback",
                callback,
                "format",
                listed.format().equals("json") ? "json" : "atom"));
    String secret = known.getOrDefault(callback, listed.secret());
    if (!secret.isEmpty()) {
      form.addAll(List.of("hub.secret", secret));
    }
    if (!verified) {
      form.addAll(List.of("hub.verify", "async"));
    }
    GatewayClient.Answer answer = client.form("/hub", form.toArray(String[]::new));
    if (answer.successful()) {
      return new Result(listed, "made", "");
    }
    if (answer.status() == UNAUTHORIZED) {
      throw client.refusal(answer);
    }
    return new Result(listed, "refused", answer.body().strip());
  }

  /** A tracker there is a tracker here. */
  private static String topic(GatewayClient client, String there) {
    Matcher tracker = TRACKER.matcher(there);
    return tracker.matches()
        ? client.base()
            + "/track?query="
            + URLEncoder.encode(
                    URLDecoder.decode(tracker.group(1), StandardCharsets.UTF_8),
                    StandardCharsets.UTF_8)
                .replace("+", "%20")
        : there;
  }

  private Map<String, String> secrets() {
    Map<String, String> known = new HashMap<>();
    if (secrets.toString().isEmpty()) {
      return known;
    }
    try {
      for (String line : Files.readAllLines(secrets)) {
        String[] parts = line.strip().split("\\s+", 2);
        if (parts.length == 2) {
          known.put(parts[0], parts[1]);
        } else if (!line.isBlank()) {
          throw wrong("--secrets: a line is not a callback, a blank and a secret");
        }
      }
    } catch (IOException e) {
      throw wrong("--secrets: the file cannot be read: " + e.getMessage());
    }
    return known;
  }

  private Progress progress(String base) {
    Progress fresh = new Progress(base, login, 1, new TreeSet<>());
    if (!Files.exists(state)) {
      return fresh;
    }
    try {
      Progress saved = Json.read(Files.readString(state), Progress.class);
      if (saved.from.equals(base) && saved.login.equals(login)) {
        return saved;
      }
      throw wrong("--state: the file is of another account");
    } catch (IOException | RuntimeException e) {
      throw e instanceof ParameterException wrong
          ? wrong
          : wrong("--state: the file cannot be read: " + e.getMessage());
    }
  }

  private void save(Progress progress) throws GatewayException {
    try {
      Files.writeString(state, Json.text(progress));
    } catch (IOException e) {
      throw new GatewayException("%s: it cannot be written: %s".formatted(state, e), false);
    }
  }

  private ParameterException wrong(String problem) {
    return new ParameterException(spec().commandLine(), problem);
  }
}
