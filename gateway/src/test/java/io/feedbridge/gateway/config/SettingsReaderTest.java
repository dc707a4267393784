package io.feedbridge.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.websub.LeasePolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsReaderTest {

  private final Problems problems = new Problems();
  @TempDir Path folder;

  /** The options on a folder of the test, with these besides. */
  private Optional<Settings> read(String... optionsAndValues) {
    Map<String, String> texts = new HashMap<>(Map.of("--data", folder.toString()));
    for (int i = 0; i < optionsAndValues.length; i += 2) {
      texts.put(optionsAndValues[i], optionsAndValues[i + 1]);
    }
    return new SettingsReader(problems).read(texts);
  }

  private Settings good(String... optionsAndValues) {
    Optional<Settings> settings = read(optionsAndValues);
    assertThat(problems.found()).isEmpty();
    return settings.orElseThrow();
  }

  private void assertRefused(String option, String value) {
    assertThat(read(option, value)).isEmpty();
    assertThat(problems.found()).hasSize(1);
    assertThat(problems.found().get(0)).startsWith(option + ": ").contains("'" + value + "'");
  }

  @Nested
  class Listen {

    @ParameterizedTest
    @CsvSource({
      "127.0.0.1:5337,     127.0.0.1,       5337",
      "0.0.0.0:80,         0.0.0.0,         80",
      "localhost:65535,    127.0.0.1,       65535",
      "127.0.0.1:0,        127.0.0.1,       0",
      "[::1]:5337,         0:0:0:0:0:0:0:1, 5337",
    })
    void takes_an_address_and_a_port(String value, String address, int port) {
      InetSocketAddress listen = good("--listen", value).listen();
      assertThat(listen.getAddress().getHostAddress()).isEqualTo(address);
      assertThat(listen.getPort()).isEqualTo(port);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "5337",
          ":5337",
          "127.0.0.1",
          "127.0.0.1:",
          "127.0.0.1:http",
          "127.0.0.1:-1",
          "127.0.0.1:+1",
          "127.0.0.1:65536",
          "127.0.0.1:99999999999",
          "[]:5337"
        })
    void refuses_anything_else(String value) {
      assertRefused("--listen", value);
    }

    @Test
    void refuses_a_name_that_nobody_knows() {
      assertThat(read("--listen", "no such host:5337")).isEmpty();
      assertThat(problems.found())
          .containsExactly("--listen: 'no such host' is not an address of this machine");
    }
  }

  @Nested
  class PublicUrl {

    @ParameterizedTest
    @CsvSource({
      "127.0.0.1:5337, http://127.0.0.1:5337",
      "0.0.0.0:80,     http://localhost:80",
      "[::1]:5337,     http://[0:0:0:0:0:0:0:1]:5337",
      "[::]:5337,      http://localhost:5337",
    })
    void is_derived_from_listen(String listen, String url) {
      assertThat(good("--listen", listen).publicUrl()).hasToString(url);
    }

    @ParameterizedTest
    @CsvSource({
      "https://feeds.example.org,      https://feeds.example.org",
      "https://feeds.example.org/,     https://feeds.example.org",
      "http://feeds.example.org:8080,  http://feeds.example.org:8080",
      "http://[2001:db8::1]:8080,      http://[2001:db8::1]:8080",
    })
    void takes_a_host(String value, String url) {
      assertThat(good("--public-url", value).publicUrl()).hasToString(url);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "feeds.example.org",
          "ftp://feeds.example.org",
          "https://",
          "https:///path",
          "https://user@feeds.example.org",
          "https://feeds.example.org/path",
          "https://feeds.example.org//",
          "https://feeds.example.org?a=b",
          "https://feeds.example.org#part",
          "https://feeds.example.org:0",
          "https://feeds.example.org:65536",
          "https://feeds example.org",
          " "
        })
    void refuses_anything_else(String value) {
      assertRefused("--public-url", value);
    }

    @Test
    void follows_the_port_that_was_found_only_where_it_was_derived() {
      InetSocketAddress found = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
      assertThat(good("--listen", "127.0.0.1:0").on(found).publicUrl())
          .hasToString("http://127.0.0.1:4711");
      assertThat(
              good("--listen", "127.0.0.1:0", "--public-url", "https://feeds.example.org")
                  .on(found)
                  .publicUrl())
          .hasToString("https://feeds.example.org");
    }
  }

  @Nested
  class Data {

    @Test
    void takes_a_folder_and_one_that_does_not_exist_yet() {
      assertThat(good("--data", folder.toString()).data()).isEqualTo(folder);
      Path missing = folder.resolve("a/b");
      assertThat(good("--data", missing.toString()).data()).isEqualTo(missing);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "nul\0"})
    void refuses_what_names_no_folder(String value) {
      assertRefused("--data", value);
    }

    @Test
    void refuses_a_file() throws IOException {
      assertRefused("--data", Files.createFile(folder.resolve("file")).toString());
    }
  }

  @Nested
  class Networks {

    @ParameterizedTest
    @ValueSource(strings = {"--allow-fetch", "--allow-callback"})
    void are_a_list(String option) {
      Settings.Outbound outbound =
          good(option, "10.0.0.0/8, fd00::/8,192.168.1.7/32 192.168.1.8").outbound();
      assertThat(option.equals("--allow-fetch") ? outbound.allowFetch() : outbound.allowCallback())
          .containsExactly("10.0.0.0/8", "fd00::/8", "192.168.1.7/32", "192.168.1.8");
    }

    @Test
    void are_none_by_default() {
      assertThat(good().outbound()).isEqualTo(new Settings.Outbound(List.of(), List.of()));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "10.0.0.0/",
          "10.0.0.0/33",
          "10.0.0.0/-1",
          "10.0.0/8",
          "256.0.0.0/8",
          "fd00::/129",
          "localhost/8",
          "/8",
          "10.0.0.0/8/8",
          "10.0.0.0/8;11.0.0.0/8"
        })
    void refuse_anything_else(String value) {
      assertRefused("--allow-fetch", value);
    }

    @Test
    void are_refused_one_by_one() {
      assertThat(read("--allow-callback", "a,10.0.0.0/8,b")).isEmpty();
      assertThat(problems.found()).hasSize(2);
    }
  }

  @Nested
  class HubFormat {

    @Test
    void is_auto_atom_or_raw() {
      assertThat(good("--hub-format", "auto").hub().format()).isEqualTo(Format.AUTO);
      assertThat(good("--hub-format", "atom").hub().format()).isEqualTo(Format.ATOM);
      assertThat(good("--hub-format", "raw").hub().format()).isEqualTo(Format.RAW);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Atom", "json", "light"})
    void is_nothing_else(String value) {
      assertRefused("--hub-format", value);
    }
  }

  @Nested
  class Leases {

    @Test
    void have_bounds_and_a_default() {
      assertThat(good().hub().leases()).isEqualTo(LeasePolicy.DEFAULT);
      assertThat(
              good("--lease-min", "1h", "--lease-default", "2h", "--lease-max", "3h")
                  .hub()
                  .leases())
          .isEqualTo(
              new LeasePolicy(Duration.ofHours(1), Duration.ofHours(2), Duration.ofHours(3)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"30s", "31d"})
    void have_a_default_within_the_bounds(String value) {
      assertRefused("--lease-default", value);
    }

    @Test
    void a_bound_beyond_the_default_is_named_if_it_alone_is_given() {
      assertThat(read("--lease-min", "20d")).isEmpty();
      assertThat(problems.found())
          .containsExactly(
              "--lease-min: the default lease, '10d', must not be shorter than the shortest, '20d',"
                  + " nor longer than the longest, '30d'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--lease-default", "--lease-min", "--lease-max"})
    void are_times(String option) {
      assertRefused(option, "soon");
    }
  }

  @Nested
  class AdminToken {

    @Test
    void is_none_by_default() {
      assertThat(good().adminToken()).isEmpty();
      assertThat(good("--admin-token", "").adminToken()).isEmpty();
    }

    @Test
    void is_a_word_that_is_never_shown() {
      Settings settings = good("--admin-token", "a!long+secret~word");
      assertThat(settings.adminToken().orElseThrow().text()).isEqualTo("a!long+secret~word");
      assertThat(settings.toString()).doesNotContain("a!long+secret~word");
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "two words", "tab\tword", "s\u00e9cret", "line\nword"})
    void is_nothing_else_and_not_shown_even_then(String value) {
      assertThat(read("--admin-token", value)).isEmpty();
      assertThat(problems.found())
          .containsExactly("--admin-token: is not a word of at most 1024 visible ASCII characters");
    }

    @Test
    void has_a_bound() {
      assertThat(read("--admin-token", "a".repeat(1_024))).isPresent();
      assertThat(read("--admin-token", "a".repeat(1_025))).isEmpty();
    }

    @Test
    void has_at_least_16_characters() {
      assertThat(read("--admin-token", "a".repeat(16))).isPresent();
      assertThat(read("--admin-token", "a".repeat(15))).isEmpty();
      assertThat(problems.found())
          .containsExactly("--admin-token: has 15 characters: choose at least 16, at random");
    }
  }

  @Nested
  class Polling {

    @ParameterizedTest
    @CsvSource({"1s, 1", "1000ms, 1", "90s, 90", "15m, 900", "24h, 86400", "365d, 31536000"})
    void periods_are_a_number_and_a_unit(String value, long seconds) {
      assertThat(good("--backup-poll", value).polling().backup())
          .isEqualTo(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "60",
          "s",
          "0s",
          "999ms",
          "1.5h",
          "-1s",
          "1 h",
          "1H",
          "366d",
          "1y",
          "9999999999s"
        })
    void periods_are_nothing_else(String value) {
      assertRefused("--backup-poll", value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--poll-min", "--poll-max"})
    void each_period_is_checked(String option) {
      assertRefused(option, "soon");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0s, 0", "1ms, 1", "500ms, 500", "1h, 3600000"})
    void pauses_may_be_short_or_none(String value, long millis) {
      assertThat(good("--host-pause", value).polling().hostPause())
          .isEqualTo(Duration.ofMillis(millis));
      assertThat(good("--ping-quiet", value).polling().pingQuiet())
          .isEqualTo(Duration.ofMillis(millis));
      assertThat(good("--ping-recheck", value).polling().pingRecheck())
          .isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "-1s", "61m", "never"})
    void pauses_are_nothing_else(String value) {
      assertRefused("--host-pause", value);
      problems.found();
    }

    @Test
    void the_bounds_are_in_order() {
      assertThat(good("--poll-min", "5m", "--poll-max", "5m").polling().max())
          .isEqualTo(Duration.ofMinutes(5));
      assertThat(read("--poll-min", "5m", "--poll-max", "4m")).isEmpty();
      assertThat(problems.found())
          .containsExactly(
              "--poll-min, --poll-max: the shortest period, 5m, is longer than the longest, 4m");
    }

    @Test
    void a_shortest_period_above_the_default_of_the_longest_names_both() {
      assertThat(read("--poll-min", "48h")).isEmpty();
      assertThat(problems.found())
          .containsExactly(
              "--poll-min, --poll-max: the shortest period, 48h, is longer than the longest, 24h");
    }
  }

  @Nested
  class Retention {

    @Test
    void L13_events_are_kept_for_7_days_or_as_long_as_is_said() {
      assertThat(good().retention()).isEqualTo(Duration.ofDays(7));
      assertThat(good("--retention", "30d").retention()).isEqualTo(Duration.ofDays(30));
      assertThat(good("--retention", "73h").retention()).isEqualTo(Duration.ofHours(73));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "week", "72h", "3d", "1s", "366d"})
    void L13_but_longer_than_subscribers_may_be_behind(String value) {
      assertRefused("--retention", value);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:0, http://localhost:5337, OPEN",
    "127.0.0.1:0, http://127.0.0.9:80, OPEN",
    "127.0.0.1:0, '', OPEN",
    "127.0.0.1:0, https://feeds.example.org, FOLLOWED",
    "0.0.0.0:0, http://localhost:5337, FOLLOWED"
  })
  void a_gateway_at_a_loopback_address_and_name_bridges_any_feed(
      String listen, String publicUrl, BridgePolicy bridge) {
    assertThat(good("--listen", listen, "--public-url", publicUrl).serving().bridge())
        .isEqualTo(bridge);
  }

  @Test
  void trackers_are_for_logins_on_a_gateway_with_an_admin_token_and_open_on_one_without() {
    String[] token = {"--admin-token", "a-token-of-the-operator"};
    assertThat(good().guarding().trackers()).isEqualTo(TrackerPolicy.OPEN);
    assertThat(good(token).guarding().trackers()).isEqualTo(TrackerPolicy.LOGIN);
    assertThat(good(token[0], token[1], "--trackers", "open").guarding().trackers())
        .isEqualTo(TrackerPolicy.OPEN);
    assertThat(good("--trackers", "login").guarding().trackers()).isEqualTo(TrackerPolicy.LOGIN);
    assertThat(good("--trackers", "off").guarding().trackers()).isEqualTo(TrackerPolicy.OFF);
  }

  @ParameterizedTest
  @ValueSource(strings = {"on", "none", "OPEN "})
  void trackers_are_for_no_other_callers(String value) {
    assertRefused("--trackers", value);
  }

  @Nested
  class Protection {

    @TempDir private Path folder;

    @Test
    void takes_the_admin_token_from_a_file_without_its_line_break() throws IOException {
      Path file = Files.writeString(folder.resolve("token"), "token-from-a-file\n");
      assertThat(good("--admin-token-file", file.toString()).adminToken())
          .contains(new Secret("token-from-a-file"));
    }

    @Test
    void refuses_a_file_that_has_no_token() throws IOException {
      Path missing = folder.resolve("missing");
      assertThat(read("--admin-token-file", missing.toString())).isEmpty();
      Path empty = Files.writeString(folder.resolve("empty"), "\n");
      assertThat(read("--admin-token-file", empty.toString())).isEmpty();
      assertThat(read("--admin-token-file", folder.toString())).isEmpty();
      Path words = Files.writeString(folder.resolve("words"), "two words");
      assertThat(read("--admin-token-file", words.toString())).isEmpty();
      assertThat(read("--admin-token-file", words.toString(), "--admin-token", "a")).isEmpty();
      assertThat(problems.found())
          .containsExactly(
              "--admin-token-file: there is no file " + missing,
              "--admin-token-file: " + empty + " is empty",
              "--admin-token-file: " + folder + " cannot be read",
              "--admin-token: is not a word of at most 1024 visible ASCII characters",
              "--admin-token-file: leave it out, or --admin-token");
    }

    @Test
    void with_a_certificate_the_gateway_is_known_by_https() {
      Settings settings = good("--tls-cert", "cert.pem", "--tls-key", "key.pem");
      assertThat(settings.protection().tls())
          .contains(new Settings.Tls(Path.of("cert.pem"), Path.of("key.pem"), false));
      assertThat(settings.publicUrl()).hasScheme("https");
      assertThat(good().publicUrl()).hasScheme("http");
    }

    @Test
    void refuses_a_certificate_without_its_key() {
      assertThat(read("--tls-cert", "cert.pem")).isEmpty();
      assertThat(read("--tls-key", "key.pem")).isEmpty();
      assertThat(problems.found())
          .containsExactly("--tls-cert: needs --tls-key too", "--tls-key: needs --tls-cert too");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "many", "100001", "9999999999"})
    void refuses_a_number_of_connections_that_makes_no_sense(String value) {
      assertRefused("--connections-per-address", value);
    }

    @Test
    void takes_where_the_key_is() {
      assertThat(good("--key-file", "/run/secrets/key").protection().keyFile())
          .contains(Path.of("/run/secrets/key"));
      assertThat(good().protection()).isEqualTo(Settings.Protection.USUAL);
    }
  }
}
