package io.feedbridge.gateway.web.console;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Chromium of this machine without a window; the messages of its console are kept. */
final class Browser implements AutoCloseable {

  private static final Path SHOTS = Path.of("target", "screenshots");
  private static final String AXE = "META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";

  private final Playwright playwright;
  private final com.microsoft.playwright.Browser browser;
  private final List<String> messages = new ArrayList<>();

  private Browser(Path executable) {
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(executable)
                    .setArgs(List.of("--no-sandbox")));
  }

  /** The browser; empty if this machine has none. */
  static Optional<Browser> start() {
    return Stream.of("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
        .map(name -> Path.of("/usr/bin", name))
        .filter(Files::isExecutable)
        .findFirst()
        .map(Browser::new);
  }

  /** A window of that width. */
  BrowserContext window(int width, ColorScheme colors, boolean scripts) {
    BrowserContext context =
        browser.newContext(
            new com.microsoft.playwright.Browser.NewContextOptions()
                .setViewportSize(width, 800)
                .setColorScheme(colors)
                .setJavaScriptEnabled(scripts));
    context.setDefaultTimeout(30_000);
    context.onConsoleMessage(message -> messages.add(message.type() + ": " + message.text()));
    context.onWebError(error -> messages.add("error: " + error.error()));
    return context;
  }

  /** The messages of the console, which a page without a fault has none of. */
  List<String> messages() {
    return messages;
  }

  /** Keeps a picture of the page. */
  static void shoot(Page page, String name) {
    page.screenshot(
        new Page.ScreenshotOptions().setFullPage(true).setPath(SHOTS.resolve(name + ".png")));
  }

  /** The serious violations of accessibility rules, each with its elements. */
  List<String> violations(Page page) {
    int before = messages.size();
    // The page's policy allows no script within it; the tool's own evaluation is not bound by it.
    page.evaluate(axe());
    Object found =
        page.evaluate(
            """
            async () => {
              const result = await axe.run(document, { resultTypes: ["violations"] });
              return result.violations
                .filter((one) => one.impact === "serious" || one.impact === "critical")
                .map((one) => one.id + ": " + one.nodes.map((node) => node.html + " " + node.failureSummary).join(" | "));
            }
            """);
    // The tool's own messages are none of the page's.
    messages.subList(before, messages.size()).clear();
    return ((List<?>) found).stream().map(String::valueOf).toList();
  }

  private static String axe() {
    try (InputStream in = Browser.class.getClassLoader().getResourceAsStream(AXE)) {
      return new String(Objects.requireNonNull(in, AXE).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
