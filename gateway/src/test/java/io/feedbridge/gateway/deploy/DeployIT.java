package io.feedbridge.gateway.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.Certificate;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Each test names the program that it needs, and is left out where that is not installed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeployIT {

  private static final Path DEPLOY = Path.of("deploy").toAbsolutePath();
  private static final Pattern METER = Pattern.compile("(feedbridge|jvm)_[a-z_]+");
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir static Path folder;

  private final int port = FreePort.next();
  private final int http = FreePort.next();
  private final int https = FreePort.next();
  private final List<Process> started = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private GatewayProcess gateway;

  @SuppressWarnings("NullAway.Init")
  private Certificate certificate;

  @BeforeAll
  void start() throws Exception {
    certificate = Certificate.of(folder, "ip:127.0.0.1");
    Files.writeString(folder.resolve("fullchain.pem"), certificate.certificatePem());
    Files.writeString(folder.resolve("privkey.pem"), certificate.keyPem());
    Files.writeString(
        folder.resolve("hub.pem"), certificate.certificatePem() + certificate.keyPem());
    gateway =
        GatewayProcess.start(
            folder.resolve("data"),
            port,
            "--public-url=https://127.0.0.1:" + https,
            "--trust-proxy=127.0.0.0/8",
            "--admin-token=0123456789abcdef",
            "--test-feed-period=2s",
            "--poll-min=2s",
            "--limit-pings=3/d",
            "--public-metrics");
  }

  @AfterAll
  void stop() {
    gateway.close();
  }

  @AfterEach
  void stopProxy() {
    started.forEach(
        process -> {
          process.descendants().forEach(ProcessHandle::destroyForcibly);
          process.destroyForcibly().onExit().join();
        });
    started.clear();
  }

  private static String program(String name) {
    Optional<Path> found =
        Stream.concat(
                Stream.of(System.getenv("PATH").split(File.pathSeparator, -1)),
                Stream.of("/usr/sbin", "/sbin", "/usr/local/sbin"))
            .map(directory -> Path.of(directory, name))
            .filter(Files::isExecutable)
            .findFirst();
    Assumptions.assumeTrue(found.isPresent(), "left out: there is no " + name);
    return found.orElseThrow().toString();
  }

  private static String run(String... command) throws Exception {
    Path output = Files.createTempFile(folder, "run", ".txt");
    Process process =
        new ProcessBuilder(command)
            .directory(DEPLOY.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    String text = Files.readString(output);
    assertThat(process.exitValue()).as(String.join(" ", command) + "\n" + text).isZero();
    return text;
  }

  private Path configuration(String name) throws IOException {
    String text =
        Files.readString(DEPLOY.resolve(name))
            .replace("127.0.0.1:5337", "127.0.0.1:" + port)
            .replace("/etc/ssl/feedbridge", folder.toString())
            .replaceAll(" +listen \\[::].*\n", "")
            .replaceAll("listen 80;", "listen 127.0.0.1:" + http + ";")
            .replaceAll("listen 443 ", "listen 127.0.0.1:" + https + " ")
            .replaceAll("bind :::80 v4v6", "bind 127.0.0.1:" + http)
            .replaceAll("bind :::443 v4v6", "bind 127.0.0.1:" + https);
    return Files.writeString(folder.resolve(name), text);
  }

  private void launch(String... command) throws IOException {
    started.add(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("proxy.log").toFile())
            .start());
  }

  private HttpClient client() throws Exception {
    return HttpClient.newBuilder().sslContext(certificate.client()).build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + https + path))
        .header("Authorization", "Bearer 0123456789abcdef")
        .timeout(LONG);
  }

  /** TLS, events that leave at once, and the address of the client instead of the proxy's. */
  private void serves(String clientAddress) throws Exception {
    HttpClient client = client();
    await()
        .atMost(LONG)
        .ignoreExceptions()
        .until(
            () ->
                client
                        .send(request("/health").build(), HttpResponse.BodyHandlers.discarding())
                        .statusCode()
                    == 200);
    assertThat(
            HttpClient.newHttpClient()
                .send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + "/health"))
                        .build(),
                    HttpResponse.BodyHandlers.discarding())
                .statusCode())
        .isEqualTo(308);

    HttpResponse<InputStream> stream =
        client.send(
            request("/stream?format=ndjson").build(), HttpResponse.BodyHandlers.ofInputStream());
    assertThat(stream.statusCode()).isEqualTo(200);
    String feed = "http://127.0.0.1:" + port + "/test/feed.xml";
    client.send(
        request("/api/v1/feeds")
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"url\":\"https://127.0.0.1:%d/test/feed.xml\"}".formatted(https)))
            .build(),
        HttpResponse.BodyHandlers.ofString());
    CompletableFuture<String> line =
        CompletableFuture.supplyAsync(
            () -> {
              try (BufferedReader reader =
                  new BufferedReader(
                      new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
                String next = "";
                while (next != null && !next.contains("test/feed.xml")) {
                  next = reader.readLine();
                }
                return String.valueOf(next);
              } catch (IOException e) {
                return "the stream broke: " + e;
              }
            });
    assertThat(line.get(60, TimeUnit.SECONDS)).as(feed).contains("Feedbridge test feed");

    // A forged address would be another caller each time, and the limit would never be reached.
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      statuses.add(
          client
              .send(
                  HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + https + "/hub"))
                      .header("X-Forwarded-For", "203.0.113." + i)
                      .header("Content-Type", "application/x-www-form-urlencoded")
                      .POST(
                          HttpRequest.BodyPublishers.ofString(
                              "hub.mode=publish&hub.url=http://" + clientAddress + ".example/"))
                      .build(),
                  HttpResponse.BodyHandlers.discarding())
              .statusCode());
    }
    assertThat(statuses).contains(429);
  }

  @Test
  void nginx_serves_TLS_streams_at_once_and_tells_the_address_of_the_client() throws Exception {
    String nginx = program("nginx");
    Path configuration = configuration("nginx.conf");
    launch(
        nginx,
        "-p",
        folder.toString(),
        "-e",
        folder.resolve("nginx.err").toString(),
        "-g",
        "daemon off; pid " + folder.resolve("nginx.pid") + ";",
        "-c",
        configuration.toString());
    serves("nginx");
  }

  @Test
  void HAProxy_serves_TLS_streams_at_once_and_tells_the_address_of_the_client() throws Exception {
    String haproxy = program("haproxy");
    launch(haproxy, "-db", "-f", configuration("haproxy.cfg").toString());
    serves("haproxy");
  }

  @Test
  void HAProxy_takes_the_file_of_two_nodes() throws Exception {
    run(program("haproxy"), "-c", "-f", "haproxy-cluster.cfg");
  }

  @Test
  void Caddy_takes_its_file() throws Exception {
    run(program("caddy"), "validate", "--adapter", "caddyfile", "--config", "Caddyfile");
  }

  @Test
  void the_unit_is_exposed_less_than_2_5() throws Exception {
    String analysis =
        run(
            program("systemd-analyze"),
            "security",
            "--offline=true",
            "--no-pager",
            "--threshold=25",
            DEPLOY.resolve("feedbridge.service").toString());
    assertThat(analysis).contains("Overall exposure level");
  }

  @Test
  void each_alert_rule_is_sound_and_fires() throws Exception {
    String promtool = program("promtool");
    run(promtool, "check", "rules", "alerts.yml");
    run(promtool, "test", "rules", "alerts.test.yml");
    Matcher alerts =
        Pattern.compile("- alert: (\\w+)").matcher(Files.readString(DEPLOY.resolve("alerts.yml")));
    String tests = Files.readString(DEPLOY.resolve("alerts.test.yml"));
    while (alerts.find()) {
      assertThat(tests).contains("alertname=\"" + alerts.group(1) + "\"");
    }
  }

  /**
   * The rules as they are, but for their patience: counters that begin at 0 make the first failure
   * an increase.
   */
  @Test
  void a_real_Prometheus_reads_the_gateway_and_fires_the_alerts() throws Exception {
    String prometheus = program("prometheus");
    Path own = Files.createDirectory(folder.resolve("prometheus"));
    int failing = FreePort.next();
    int api = FreePort.next();
    Files.writeString(
        own.resolve("alerts.yml"),
        Files.readString(DEPLOY.resolve("alerts.yml")).replaceAll("for: \\d+m", "for: 1s"));
    Files.writeString(
        own.resolve("prometheus.yml"),
        """
        global: {scrape_interval: 1s, evaluation_interval: 1s}
        rule_files: [alerts.yml]
        scrape_configs:
          - job_name: feedbridge
            static_configs: [{targets: ["127.0.0.1:%d"]}]
        """
            .formatted(failing));
    launch(
        prometheus,
        "--config.file=" + own.resolve("prometheus.yml"),
        "--storage.tsdb.path=" + own.resolve("data"),
        "--web.listen-address=127.0.0.1:" + api);
    try (GatewayProcess one =
        GatewayProcess.start(own.resolve("feedbridge"), failing, "--public-metrics")) {
      await()
          .atMost(LONG)
          .ignoreExceptions()
          .until(() -> answer(api, "query?query=feedbridge_fetches_total").contains("\"0\""));
      one.get("/feed.atom?url=http%3A%2F%2F127.0.0.1%3A1%2Fnobody");
      await().atMost(LONG).until(() -> firing(api).contains("FeedbridgeFetchesFail"));
    }
    await().atMost(LONG).until(() -> firing(api).contains("FeedbridgeDown"));
    JsonNode rules = new ObjectMapper().readTree(answer(api, "rules")).findPath("rules");
    assertThat(rules).isNotEmpty().allMatch(rule -> rule.path("health").asText().equals("ok"));
  }

  private static List<String> firing(int api) throws Exception {
    List<String> names = new ArrayList<>();
    new ObjectMapper()
        .readTree(answer(api, "alerts"))
        .findPath("alerts")
        .forEach(
            alert -> {
              if (alert.path("state").asText().equals("firing")) {
                names.add(alert.path("labels").path("alertname").asText());
              }
            });
    return names;
  }

  private static String answer(int api, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + api + "/api/v1/" + path))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void each_meter_of_the_rules_and_the_dashboard_is_one_of_the_gateway() throws Exception {
    await().atMost(LONG).until(() -> !gateway.metrics().isEmpty());
    // A meter with an outcome exists from its first outcome on; the manual has these too.
    String manual = Files.readString(Path.of("docs/operating.md")) + gateway.metrics();
    TreeSet<String> used = new TreeSet<>();
    JsonNode dashboard =
        new ObjectMapper().readTree(DEPLOY.resolve("dashboard.json").toFile()).path("panels");
    assertThat(dashboard).hasSizeGreaterThan(8);
    for (JsonNode panel : dashboard) {
      Matcher meter = METER.matcher(panel.path("targets").path(0).path("expr").asText());
      assertThat(meter.find()).isTrue();
      used.add(meter.group());
    }
    for (String line : Files.readAllLines(DEPLOY.resolve("alerts.yml"))) {
      Matcher meter = METER.matcher(line);
      while (meter.find()) {
        used.add(meter.group());
      }
    }
    used.removeIf(manual::contains);
    assertThat(used).as("meters that the gateway does not have").isEmpty();
  }

  @Test
  void every_meter_has_a_HELP() {
    assertThat(gateway.metrics().lines().filter(line -> line.startsWith("# HELP")))
        .isNotEmpty()
        .allMatch(line -> line.split(" ", 4).length == 4 && !line.split(" ", 4)[3].isBlank());
  }
}
