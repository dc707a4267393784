package io.feedbridge.gateway.cli.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.cli.operate.Finding.Result;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DiagnosisTest {

  private static final URI URL = URI.create("https://feeds.example.org");
  private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");

  @ParameterizedTest
  @CsvSource({"200, OK", "503, FAIL", "404, FAIL"})
  void a_gateway_that_is_not_healthy_fails(int status, Result result) {
    assertThat(Diagnosis.health(status, "{\"status\":\"up\"}").result()).isEqualTo(result);
  }

  @Test
  void a_standby_is_well_and_may_answer_at_the_public_URL() {
    String standby = "{\"status\":\"standby\",\"reason\":\"the node a owns the store\"}";

    assertThat(Diagnosis.health(200, standby).result()).isEqualTo(Result.OK);
    assertThat(Diagnosis.health(200, standby).toString()).contains("the node a owns the store");
    assertThat(Diagnosis.reachable(URL, 200, standby).result()).isEqualTo(Result.OK);
  }

  @Test
  void a_page_at_health_is_no_gateway() {
    assertThat(Diagnosis.health(200, "<html>").result()).isEqualTo(Result.FAIL);
    assertThat(Diagnosis.reachable(URL, 200, "<html>").advice()).contains("proxy");
  }

  @Test
  void a_public_URL_that_redirects_fails_since_hubs_do_not_follow() {
    Finding found = Diagnosis.reachable(URL, 301, "");

    assertThat(found.result()).isEqualTo(Result.FAIL);
    assertThat(found.advice()).contains("--public-url");
  }

  @ParameterizedTest
  @CsvSource({"-1, FAIL", "3, WARN", "13, WARN", "15, OK", "80, OK"})
  void a_certificate_that_ends_soon_is_told_before_it_ends(int days, Result result) {
    Instant end = NOW.plus(Duration.ofDays(days));

    assertThat(Diagnosis.encryption(URL, Optional.of(end), NOW).result()).isEqualTo(result);
  }

  @ParameterizedTest
  @CsvSource({"https://a.example, OK", "https://a.example:443, OK", "https://a.example:8443, WARN"})
  void https_at_another_port_is_a_warning(String url, Result result) {
    Instant end = NOW.plus(Duration.ofDays(80));

    assertThat(Diagnosis.encryption(URI.create(url), Optional.of(end), NOW).result())
        .isEqualTo(result);
  }

  @Test
  void a_public_URL_without_TLS_is_a_warning_that_names_the_option() {
    Finding found = Diagnosis.encryption(URI.create("http://a.example"), Optional.empty(), NOW);

    assertThat(found.result()).isEqualTo(Result.WARN);
    assertThat(found.advice()).contains("--tls-cert");
  }

  @ParameterizedTest
  @CsvSource({"203.0.113.7, OK", "127.0.0.1, WARN", "10.0.0.7, WARN", "169.254.0.1, WARN"})
  void an_address_that_hubs_cannot_reach_is_a_warning(String address, Result result)
      throws UnknownHostException {
    List<InetAddress> addresses = List.of(InetAddress.getByName(address));

    assertThat(Diagnosis.names("feeds.example.org", addresses).result()).isEqualTo(result);
  }

  @Test
  void a_host_without_an_address_fails() {
    assertThat(Diagnosis.names("no.example", List.of()).result()).isEqualTo(Result.FAIL);
  }

  @Test
  void clocks_that_differ_and_a_clock_that_went_back_are_told() {
    assertThat(Diagnosis.clock(NOW, NOW.plusSeconds(2)).result()).isEqualTo(Result.OK);
    assertThat(Diagnosis.clock(NOW, NOW.minusSeconds(31)).result()).isEqualTo(Result.WARN);
    assertThat(Diagnosis.clockSetBack(Map.of()).result()).isEqualTo(Result.OK);
    assertThat(Diagnosis.clockOfOrigins(Map.of("feedbridge_clock_origins_seconds", -90.0)).text())
        .contains("90 s behind the clocks of the origins");
    assertThat(Diagnosis.clockOfOrigins(Map.of()).result()).isEqualTo(Finding.Result.SKIPPED);
    assertThat(Diagnosis.clockSetBack(Map.of("feedbridge_clock_ahead_seconds", 3600.0)).result())
        .isEqualTo(Result.FAIL);
  }

  @ParameterizedTest
  @CsvSource({"100, FAIL", "300, WARN", "5000, OK"})
  void little_space_is_told_before_the_disk_is_full(long mebibytes, Result result) {
    assertThat(Diagnosis.space(mebibytes << 20).result()).isEqualTo(result);
  }

  @Test
  void few_descriptors_are_a_warning() {
    String meter = "process_files_max_files";

    assertThat(Diagnosis.descriptors(Map.of(meter, 1024.0)).result()).isEqualTo(Result.WARN);
    assertThat(Diagnosis.descriptors(Map.of(meter, 65536.0)).result()).isEqualTo(Result.OK);
    assertThat(Diagnosis.descriptors(Map.of()).result()).isEqualTo(Result.SKIPPED);
  }

  @Test
  void an_API_that_is_open_to_strangers_fails_and_open_metrics_are_a_warning() {
    assertThat(Diagnosis.strangers(200).result()).isEqualTo(Result.FAIL);
    assertThat(Diagnosis.strangers(401).result()).isEqualTo(Result.OK);
    assertThat(Diagnosis.strangers(403).result()).isEqualTo(Result.OK);
    assertThat(Diagnosis.metrics(200).result()).isEqualTo(Result.WARN);
    assertThat(Diagnosis.metrics(403).result()).isEqualTo(Result.OK);
  }

  @ParameterizedTest
  @ValueSource(ints = {404, 500, 502, 503})
  void an_answer_that_neither_gives_nor_refuses_is_told_with_its_status(int status) {
    for (Finding found : List.of(Diagnosis.strangers(status), Diagnosis.metrics(status))) {
      assertThat(found.result()).isEqualTo(Result.WARN);
      assertThat(found.text()).contains("status " + status);
    }
  }

  @Test
  void a_certificate_that_ended_is_told_with_its_end_and_another_one_with_the_reason() {
    Instant end = NOW.minusSeconds(60);

    Finding ended = Diagnosis.refusedCertificate(URL, Optional.of(end), NOW, "PKIX");
    Finding unknown =
        Diagnosis.refusedCertificate(URL, Optional.of(NOW.plusSeconds(60)), NOW, "PKIX");

    assertThat(ended.result()).isEqualTo(Result.FAIL);
    assertThat(ended.text()).contains("ended at " + end);
    assertThat(unknown.result()).isEqualTo(Result.FAIL);
    assertThat(unknown.text()).contains("not accepted (PKIX)");
  }
}
