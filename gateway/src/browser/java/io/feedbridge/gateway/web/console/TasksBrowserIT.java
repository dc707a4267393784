package io.feedbridge.gateway.web.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tasks of operators, each from the start page and within three clicks. */
class TasksBrowserIT {

  private static final String TOKEN = "the-token";
  private static final int MOST_CLICKS = 3;

  @TempDir static Path data;

  private static Optional<Browser> browser = Optional.empty();
  private static World world;

  @BeforeAll
  static void start() {
    browser = Browser.start();
    assumeTrue(
        browser.isPresent(), "left out: the console in a browser, as this machine has no Chromium");
    int port = FreePort.next();
    world =
        World.around(
            TestGateway.guarded(
                data,
                port,
                URI.create("http://127.0.0.1:" + port),
                Optional.of(new Secret(TOKEN))));
  }

  @AfterAll
  static void stop() {
    browser.ifPresent(Browser::close);
    if (world != null) {
      world.close();
    }
  }

  /** A signed-in operator, with the number of clicks. */
  private static final class Operator implements AutoCloseable {

    private final BrowserContext window;
    private final Page page;
    private int clicks;

    Operator() {
      window = browser.orElseThrow().window(1200, ColorScheme.LIGHT, true);
      page = window.newPage();
      page.onDialog(dialog -> dialog.accept());
      page.navigate(world.gateway().url("/sign-in"));
      page.getByLabel("Admin token").fill(TOKEN);
      press("Sign in");
      page.navigate(world.gateway().url("/"));
      clicks = 0;
    }

    private void click(AriaRole role, String name) {
      page.getByRole(role, new Page.GetByRoleOptions().setName(name).setExact(true))
          .first()
          .click();
      clicks++;
    }

    void press(String name) {
      click(AriaRole.BUTTON, name);
    }

    void open(String name) {
      click(AriaRole.LINK, name);
    }

    String shown() {
      return page.locator("main").innerText();
    }

    /** The row of a table that has a text. */
    String row(String text) {
      return page.locator("tbody tr")
          .filter(new Locator.FilterOptions().setHasText(text))
          .first()
          .innerText();
    }

    /** Waits on the thread of the test, which alone may use the browser. */
    void await(BooleanSupplier condition) {
      Awaitility.await()
          .pollInSameThread()
          .until(
              () -> {
                boolean met = condition.getAsBoolean();
                if (!met) {
                  page.reload();
                }
                return met;
              });
    }

    @Override
    public void close() {
      window.close();
      assertThat(clicks).as("clicks").isLessThanOrEqualTo(MOST_CLICKS);
    }
  }

  @Test
  void a_webhook_for_three_feeds_with_a_filter_is_made() {
    List<String> feeds =
        IntStream.range(0, 3)
            .mapToObj(i -> world.origin().rss("three" + i + ".xml", "", "one"))
            .toList();
    try (Operator operator = new Operator()) {
      operator.open("Webhooks");
      operator.open("New webhook");
      operator.page.getByLabel("URL that is sent").fill(world.subscriber().url("three"));
      operator.page.getByLabel("Feeds, one URL on each line").fill(String.join("\n", feeds));
      operator.page.getByLabel("Filter (optional)").fill("release OR category:\"space flight\"");
      operator.press("Make the webhook");
      assertThat(operator.shown()).contains("whsec_");
    }
  }

  @Test
  void the_reason_why_an_entry_did_not_reach_a_subscriber_is_found() {
    String feed = world.origin().rss("why.xml", "");
    for (String reader : List.of("why-500", "why-410", "why-hangs", "why-unsubscribed")) {
      world.subscribe(feed, reader);
      world.awaitSubscription(reader);
    }
    world.gateway().settle();
    world.subscriber().answer("why-500", 500);
    world.subscriber().answer("why-410", 410);
    world.subscriber().answer("why-hangs", request -> new CompletableFuture<>());
    world
        .gateway()
        .form(
            "/hub",
            "hub.mode",
            "unsubscribe",
            "hub.topic",
            feed,
            "hub.callback",
            world.subscriber().url("why-unsubscribed"));
    World.until(() -> world.subscriber().asked("why-unsubscribed").size() > 1);
    world.gateway().settle();
    world.origin().rss("why.xml", "", "okapi");
    world.publish(feed);
    World.until(() -> !world.subscriber().received("why-hangs").isEmpty());
    try (Operator operator = new Operator()) {
      operator.page.getByLabel("Words of it").fill("okapi");
      operator.press("Find the entry");
      operator.await(() -> operator.page.getByText("Its deliveries").count() == 1);
      operator.open("Its deliveries");
      operator.await(
          () ->
              operator.row("why-500").contains("HTTP 500")
                  && operator.row("why-410").contains("HTTP 410")
                  && operator.row("why-unsubscribed").contains("unsubscribed"));
      // Which of the two it is depends on how long the browser took.
      assertThat(operator.row("why-hangs"))
          .containsAnyOf("under way", "the answer was not complete in time");
    }
  }

  @Test
  void the_bad_lines_of_a_list_are_told_with_their_numbers_and_reasons() throws Exception {
    StringBuilder list = new StringBuilder("<opml version=\"2.0\"><body>\n");
    for (int i = 0; i < 10; i++) {
      list.append("<outline type=\"rss\" text=\"Bad %d\" xmlUrl=\"no url %d\"/>\n".formatted(i, i));
      list.append(
          "<outline type=\"rss\" text=\"Good %d\" xmlUrl=\"%s\"/>\n"
              .formatted(i, world.origin().rss("listed" + i + ".xml", "", "one")));
    }
    Path file = Files.writeString(data.resolve("list.opml"), list.append("</body></opml>\n"));
    try (Operator operator = new Operator()) {
      operator.open("Feeds");
      operator.page.getByLabel("OPML file").setInputFiles(file);
      operator.press("Import");
      assertThat(operator.shown()).contains("10 newly followed", "10 without a feed");
      assertThat(operator.row("Bad 3")).startsWith("8").contains("contains a space");
    }
  }

  @Test
  void a_secret_that_has_leaked_is_replaced_at_once() {
    String feed = world.origin().rss("leaked.xml", "", "one");
    world
        .gateway()
        .post(
            "/api/v1/webhooks",
            "application/json",
            "{\"url\":\"%s\",\"topics\":[\"%s\"],\"verified\":true,\"description\":\"Leaky\"}"
                .formatted(world.subscriber().url("leaky"), feed)
                .getBytes(StandardCharsets.UTF_8),
            "Authorization",
            "Bearer " + TOKEN);
    try (Operator operator = new Operator()) {
      operator.open("Webhooks");
      operator.open("Leaky");
      operator.press("It has leaked: rotate, and end it now");
      assertThat(operator.shown()).contains("whsec_");
    }
  }

  @Test
  void the_host_that_is_slow_and_the_subscriptions_that_wait_for_it_are_found() {
    String feed = world.origin().rss("slow.xml", "");
    world.subscribe(feed, "slow");
    world.awaitSubscription("slow");
    world.gateway().settle();
    world.subscriber().answer("slow", request -> new CompletableFuture<>());
    world.origin().rss("slow.xml", "", "sloth");
    world.publish(feed);
    World.until(() -> !world.subscriber().received("slow").isEmpty());
    try (Operator operator = new Operator()) {
      String host = "127.0.0.1:" + world.subscriber().port();
      operator.open("Hosts");
      assertThat(operator.row(host)).contains(" of ");
      operator.open(host);
      operator.await(() -> operator.shown().contains("/slow"));
      assertThat(operator.shown()).contains("Under way", "Behind");
    }
  }
}
