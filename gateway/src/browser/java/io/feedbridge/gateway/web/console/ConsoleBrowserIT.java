package io.feedbridge.gateway.web.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.gateway.web.common.Html;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console in a real browser. Without one on this machine, these tests are left out. */
class ConsoleBrowserIT {

  private static final int WIDE = 1280;
  private static final int NARROW = 390;
  private static final String TOKEN = "the-token";

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
    fill();
  }

  /** Feeds, subscribers and webhooks in every state, and hostile titles. */
  private static void fill() {
    String good = world.origin().rss("news.xml", "");
    follow(good);
    follow(world.origin().fail("broken.xml", 500));
    follow(
        world
            .origin()
            .serve(
                "hostile.xml",
                "application/rss+xml",
                "<rss version=\"2.0\"><channel><title>%s</title></channel></rss>"
                    .formatted(Html.escaped(Html.escaped(String.join(" ", HostileText.ALL))))));
    world.subscriber().answer("fails", 503);
    post(
        "/webhooks",
        "{\"url\":\"%s\",\"topics\":[\"%s\"],\"verified\":true}"
            .formatted(world.subscriber().url("fails"), good));
    post(
        "/webhooks",
        "{\"url\":\"%s\",\"topics\":[\"*\"],\"verified\":true,\"description\":\"The search index\"}"
            .formatted(world.subscriber().url("works")));
    post("/tokens", "{\"login\":\"ada\",\"rights\":[\"list\"]}");
    world.subscribe(good, "websub");
    world.awaitSubscription("websub");
    world.gateway().settle();
    world.origin().rss("news.xml", "", "one");
    world.publish(good);
    World.until(() -> !world.subscriber().received("fails").isEmpty());
  }

  private static void follow(String url) {
    post("/feeds", "{\"url\":\"" + url + "\"}");
  }

  private static void post(String path, String body) {
    var answer =
        world
            .gateway()
            .post(
                "/api/v1" + path,
                "application/json",
                body.getBytes(StandardCharsets.UTF_8),
                "Authorization",
                "Bearer " + TOKEN);
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
  }

  @AfterAll
  static void stop() {
    browser.ifPresent(Browser::close);
    if (world != null) {
      world.close();
    }
  }

  private static Page signIn(BrowserContext window) {
    Page page = window.newPage();
    page.navigate(world.gateway().url("/feeds"));
    page.getByLabel("Admin token").fill(TOKEN);
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Sign in")).click();
    page.waitForURL(Pattern.compile(".*/feeds$"));
    return page;
  }

  /** Waits on the thread of the test, which alone may use the browser. */
  private static void reloadUntil(Page page, BooleanSupplier condition) {
    Awaitility.await()
        .pollInSameThread()
        .until(
            () -> {
              page.reload();
              return condition.getAsBoolean();
            });
  }

  private static boolean isActive(Page page) {
    return page.locator(".badge").first().innerText().equals("active");
  }

  private static void press(Page page, String name) {
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true))
        .first()
        .click();
  }

  private static void open(Page page, String name) {
    page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName(name).setExact(true))
        .first()
        .click();
  }

  private static final Map<String, String> PAGES =
      Map.ofEntries(
          Map.entry("start", "/"),
          Map.entry("connect", "/connect"),
          Map.entry("publish", "/publish"),
          Map.entry("feeds", "/feeds"),
          Map.entry("feed", "/feeds/1"),
          Map.entry("feed-new", "/feeds/new"),
          Map.entry("search", "/search?q=one"),
          Map.entry("event", "/events/1?format=atom"),
          Map.entry("hosts", "/hosts"),
          Map.entry("origins", "/origins"),
          Map.entry("origin", "/origins/127.0.0.1"),
          Map.entry("subscriptions", "/subscriptions"),
          Map.entry("subscription", "/subscriptions/1"),
          Map.entry("webhooks", "/webhooks"),
          Map.entry("webhook", "/webhooks/1"),
          Map.entry("webhook-new", "/webhooks/new"),
          Map.entry("upstreams", "/upstreams"),
          Map.entry("live", "/live"),
          Map.entry("access", "/access"));

  @Test
  void a_feed_for_a_webhook_is_found_by_typing_a_part_of_its_title() {
    try (BrowserContext window = browser.orElseThrow().window(WIDE, ColorScheme.LIGHT, true)) {
      Page page = signIn(window);
      page.navigate(world.gateway().url("/webhooks/new"));
      page.getByLabel("Find a feed that is followed").pressSequentially("news.xml");
      press(page, "Add");

      assertThat(page.getByLabel("Feeds, one URL on each line").inputValue())
          .isEqualTo(world.origin().url("news.xml"));
    }
  }

  @Test
  void each_page_is_accessible_silent_and_as_wide_as_the_window_in_light_dark_and_narrow() {
    Browser chromium = browser.orElseThrow();
    List<String> faults = new ArrayList<>();
    for (String look : List.of("light", "dark", "narrow")) {
      try (BrowserContext window =
          chromium.window(
              look.equals("narrow") ? NARROW : WIDE,
              look.equals("dark") ? ColorScheme.DARK : ColorScheme.LIGHT,
              true)) {
        Page page = signIn(window);
        PAGES.forEach(
            (name, path) -> {
              page.navigate(world.gateway().url(path));
              Browser.shoot(page, name + "-" + look);
              chromium.violations(page).forEach(one -> faults.add(path + " " + look + " " + one));
              Object wide = page.evaluate("document.documentElement.scrollWidth > innerWidth");
              if (Boolean.TRUE.equals(wide)) {
                faults.add(path + " " + look + " is wider than the window");
              }
            });
      }
    }
    assertThat(faults).isEmpty();
    assertThat(chromium.messages()).isEmpty();
  }

  @Test
  void hostile_titles_run_nothing() {
    try (BrowserContext window = browser.orElseThrow().window(WIDE, ColorScheme.LIGHT, true)) {
      window.addInitScript("window.pwn = () => { window.pwned = true; };");
      Page page = signIn(window);
      for (String path : PAGES.values()) {
        page.navigate(world.gateway().url(path));
        assertThat(page.evaluate("window.pwned === true")).as(path).isEqualTo(false);
      }
      page.navigate(world.gateway().url("/feeds?q=hostile"));
      assertThat(page.locator("tbody").innerText()).contains("<img src=x onerror=pwn()>");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_feed_is_previewed_followed_hooked_up_and_its_failing_delivery_is_found(boolean scripts) {
    String name = "journey" + scripts;
    String feed = world.origin().rss(name + ".xml", "");
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), name);
    String hook = endpoint.url();
    try (BrowserContext window = browser.orElseThrow().window(WIDE, ColorScheme.LIGHT, scripts)) {
      Page page = signIn(window);
      open(page, "Follow a feed");
      page.getByLabel("URL of the feed").fill(feed);
      press(page, "Look at it");
      press(page, "Follow this feed");
      page.waitForURL(Pattern.compile(".*/feeds/\\d+\\?done=followed"));
      world.gateway().settle();
      open(page, "Make a webhook");
      page.getByLabel("URL that is sent").fill(hook);
      press(page, "Make the webhook");
      assertThat(page.locator(".copied code").first().innerText()).startsWith("whsec_");
      Browser.shoot(page, "secret-" + (scripts ? "scripts" : "plain"));
      open(page, "Open the webhook");

      endpoint.onMessage(500);
      reloadUntil(page, () -> isActive(page));
      world.origin().rss(name + ".xml", "", "entry of " + name);
      world.publish(feed);
      World.until(() -> !endpoint.messages().isEmpty());

      page.navigate(world.gateway().url("/"));
      Locator trouble =
          page.locator("#attention li").filter(new Locator.FilterOptions().setHasText(hook));
      reloadUntil(page, () -> trouble.count() > 0);
      trouble.getByRole(AriaRole.LINK).click();
      assertThat(page.locator("main").innerText()).contains("HTTP 500");
      endpoint.onMessage(200);
      press(page, "Retry now");
      reloadUntil(page, () -> isActive(page));
      open(page, "Open the webhook");
      if (scripts) {
        page.onDialog(dialog -> dialog.accept());
      }
      press(page, "Delete the webhook");
      page.waitForURL(Pattern.compile(".*/webhooks\\?done=deleted"));
      press(page, "Sign out");
      assertThat(page.locator("main").innerText()).contains("You are signed out");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void an_entry_is_found_by_a_word_and_its_failed_delivery_seen_in_three_clicks(boolean scripts) {
    String name = "found" + scripts;
    String feed = world.origin().rss(name + ".xml", "");
    world.subscribe(feed, name);
    world.awaitSubscription(name);
    world.gateway().settle();
    world.subscriber().answer(name, 410);
    world.origin().rss(name + ".xml", "", "quagga" + name);
    world.publish(feed);
    World.until(() -> !world.subscriber().received(name).isEmpty());
    try (BrowserContext window = browser.orElseThrow().window(WIDE, ColorScheme.LIGHT, scripts)) {
      Page page = signIn(window);
      open(page, "Start");
      page.getByLabel("Words of it").fill("quagga" + name);
      press(page, "Find the entry");
      reloadUntil(page, () -> page.getByText("Its deliveries").count() == 1);
      open(page, "Its deliveries");
      assertThat(page.locator("h1").innerText()).contains("quagga" + name);
      reloadUntil(page, () -> page.locator("main").innerText().contains("410"));
    }
  }

  @Test
  void the_start_page_draws_its_curves_and_a_slash_leads_to_its_search() {
    try (BrowserContext window = browser.orElseThrow().window(WIDE, ColorScheme.DARK, true)) {
      Page page = signIn(window);
      open(page, "Start");
      page.locator(".plot canvas").nth(3).waitFor();
      page.keyboard().press("/");
      assertThat(page.evaluate("document.activeElement.id")).isEqualTo("find-entry");
    }
  }

  @Test
  void the_live_log_shows_activity_as_it_happens_and_pauses() {
    try (BrowserContext window = browser.orElseThrow().window(WIDE, ColorScheme.LIGHT, true)) {
      Page page = signIn(window);
      open(page, "Live");
      Http http = new Http();
      http.get(
          world.gateway().url("/pingSiteForm?name=a&url=" + world.origin().url("unheard-one")));
      page.locator("#activity").getByText("unheard-one").first().waitFor();

      press(page, "Pause");
      http.get(
          world.gateway().url("/pingSiteForm?name=a&url=" + world.origin().url("unheard-two")));
      Locator pause = page.locator("#pause");
      Awaitility.await().pollInSameThread().until(() -> pause.innerText().startsWith("Go on ("));
      assertThat(page.locator("#activity").innerText()).doesNotContain("unheard-two");
      pause.click();
      page.locator("#activity").getByText("unheard-two").first().waitFor();
    }
  }

  @Test
  void a_stranger_sees_how_to_connect() {
    try (BrowserContext window = browser.orElseThrow().window(NARROW, ColorScheme.LIGHT, true)) {
      Page page = window.newPage();
      page.navigate(world.gateway().url("/"));
      Browser.shoot(page, "stranger-narrow");
      assertThat(page.locator("main").innerText()).contains(world.gateway().url("/hub"));
      assertThat(browser.orElseThrow().violations(page)).isEmpty();
      page.navigate(world.gateway().url("/sign-in"));
      assertThat(browser.orElseThrow().violations(page)).isEmpty();
    }
  }
}
