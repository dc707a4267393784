package io.feedbridge.gateway.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.postgres.TransactionPooler.Choice;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The servers that a start takes, and the reasons for which it refuses others. */
@Timeout(300)
final class PostgresServerTest {

  private static final TestServer SERVER = TestServer.durable();

  private static final String NEWEST =
      "PostgreSQL 18.1 (Debian 18.1-1.pgdg13+2) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit";

  private final Clock clock = Clock.systemUTC();

  @AfterAll
  static void end() {
    SERVER.close();
  }

  private static PostgresServer server(String setting, String value) {
    Map<String, String> settings =
        new HashMap<>(
            Map.of(
                "server_version_num", "180001", "server_encoding", "UTF8", "lock_timeout", "5000"));
    settings.put(setting, value);
    return new PostgresServer(NEWEST, settings, Duration.ZERO, false);
  }

  private static PostgresServer server(Duration ahead) {
    return new PostgresServer(NEWEST, server("fsync", "on").settings(), ahead, false);
  }

  @Test
  void a_durable_server_is_taken() {
    assertThatCode(() -> PostgresServer.check(SERVER.empty(), clock)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({"130022, true", "140000, false", "140019, false", "190000, false"})
  void a_server_older_than_14_is_refused(String number, boolean refused) {
    Optional<String> refusal = server("server_version_num", number).refusal();

    assertThat(refusal.isPresent()).isEqualTo(refused);
    refusal.ifPresent(
        reason -> assertThat(reason).contains("PostgreSQL 14 or newer", "upgrade", NEWEST));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CockroachDB CCL v25.2.1 (x86_64-pc-linux-gnu, built 2025/06/20, go1.23.7)",
        "PostgreSQL 15.12-YB-2.25.2.0-b0 on x86_64-pc-linux-gnu, compiled by clang 17.0.6, 64-bit",
        "PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.12103",
        "PostgreSQL 12.12 (Greenplum Database 7.1.0 build commit:e7c2b1f) on x86_64-pc-linux-gnu",
        "(openGauss 6.0.0 build aee4abd5) compiled at 2024-09-29 18:39:26 commit 0 last mr",
        "PostgreSQL 12.3, compiled by Visual C++ build 1914, 64-bit, QuestDB"
      })
  void a_server_that_only_speaks_as_PostgreSQL_does_is_refused(String version) {
    assertThat(PostgresServer.refusalOf(version).orElseThrow())
        .contains("needs PostgreSQL itself", version);
  }

  @Test
  void the_name_of_PostgreSQL_itself_is_taken() {
    assertThat(PostgresServer.refusalOf(NEWEST)).isEmpty();
  }

  @Test
  void a_server_without_fsync_is_refused() {
    assertThatThrownBy(() -> PostgresServer.check(TestServer.shared().database(), clock))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("set fsync = on");
  }

  @ParameterizedTest
  @ValueSource(strings = {"DATABASE %s", "ROLE postgres", "ROLE postgres IN DATABASE %s"})
  void sessions_that_do_not_wait_for_the_disk_are_refused(String where) {
    String url = SERVER.empty();
    Jdbi beside = Jdbi.create(url);
    String database =
        beside.withHandle(
            handle -> handle.createQuery("SELECT current_database()").mapTo(String.class).one());
    String alter = "ALTER " + where.formatted(database);
    beside.useHandle(handle -> handle.execute(alter + " SET synchronous_commit = off"));
    try {
      assertThatThrownBy(() -> PostgresServer.check(url, clock))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("set synchronous_commit = on");
    } finally {
      beside.useHandle(handle -> handle.execute(alter + " RESET synchronous_commit"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "remote_write", "on", "remote_apply"})
  void each_other_way_to_commit_is_taken(String value) {
    assertThat(server("synchronous_commit", value).refusal()).isEmpty();
  }

  @Test
  void a_server_that_may_write_half_a_page_is_taken_with_a_warning() {
    PostgresServer server = server("full_page_writes", "off");

    assertThat(server.refusal()).isEmpty();
    assertThat(server.warning().orElseThrow()).contains("full_page_writes = off");
    assertThat(server("full_page_writes", "on").warning()).isEmpty();
  }

  @Test
  void another_encoding_is_refused() {
    assertThat(server("server_encoding", "LATIN1").refusal().orElseThrow()).contains("UTF8");
  }

  @ParameterizedTest
  @CsvSource({"-3600, behind", "-6, behind", "6, ahead of", "3600, ahead of"})
  void a_clock_that_is_more_than_5_s_from_the_clock_of_the_database_is_refused(
      long seconds, String side) {
    Clock wrong = Clock.offset(clock, Duration.ofSeconds(seconds));
    String url = SERVER.empty();

    assertThatThrownBy(() -> PostgresServer.check(url, wrong))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(side + " the clock of the database")
        .hasMessageContaining("NTP");
  }

  @Test
  void a_clock_within_5_s_of_the_clock_of_the_database_is_taken() {
    assertThat(server(Duration.ofSeconds(5)).refusal()).isEmpty();
    assertThat(server(Duration.ofSeconds(-5)).refusal()).isEmpty();
    assertThat(server(Duration.ofMillis(5_001)).refusal()).isPresent();
    assertThat(server(Duration.ofMillis(-5_001)).refusal()).isPresent();
  }

  @ParameterizedTest
  @CsvSource({"LAST_USED, 1", "LAST_USED, 2", "LONGEST_UNUSED, 2", "LONGEST_UNUSED, 3"})
  void a_pooler_that_gives_each_transaction_another_session_is_refused(Choice choice, int sessions)
      throws Exception {
    try (TransactionPooler pooler = new TransactionPooler(SERVER.empty(), choice, sessions)) {
      String url = pooler.url();

      assertThatThrownBy(() -> PostgresServer.check(url, clock))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("name the server itself");
    }
  }

  @Test
  void a_pooler_that_drops_the_settings_of_a_session_is_refused() {
    assertThat(server("lock_timeout", "0").refusal().orElseThrow())
        .contains("drops the settings", "name the server itself");
  }
}
