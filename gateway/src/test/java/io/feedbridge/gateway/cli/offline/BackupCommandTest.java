package io.feedbridge.gateway.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.cli.options.Defaults;
import io.feedbridge.gateway.testing.TestGateway;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code backup} makes of its options, and how it ends. */
class BackupCommandTest {

  @TempDir Path folder;

  private record Run(int code, String out, String err) {}

  private static Run run(Map<String, String> environment, String... args) {
    ConfigFile file = ConfigFile.namedBy(args, environment);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(CommandLine.Model.CommandSpec.create().name("feedbridge"))
            .addSubcommand(new BackupCommand(file))
            .addSubcommand(new RestoreCommand(file))
            .setDefaultValueProvider(new Defaults(environment, file, args))
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(args);
    return new Run(code, out.toString(), err.toString());
  }

  private Path data() {
    return folder.resolve("data");
  }

  private String backup() {
    return folder.resolve("backup").toString();
  }

  private void store() {
    TestGateway.on(data()).close();
  }

  @Test
  void a_backup_of_a_running_gateway_ends_with_0_and_says_where_it_is() {
    try (TestGateway gateway = TestGateway.on(data())) {
      Run run = run(Map.of(), "backup", backup(), "--data=" + data());
      assertThat(run.code).as(run.err).isZero();
      assertThat(run.out).contains(data().toString(), backup(), "bytes");
      assertThat(gateway.get("/health").statusCode()).isEqualTo(200);
    }
    assertThat(Path.of(backup())).isNotEmptyFile();
  }

  @Test
  void the_folder_may_come_from_the_environment_or_the_file_of_the_gateway() throws IOException {
    store();
    Run variable = run(Map.of("FEEDBRIDGE_DATA", data().toString()), "backup", backup());
    assertThat(variable.code).as(variable.err).isZero();

    Path file =
        Files.writeString(
            folder.resolve("feedbridge.properties"), "data=" + data() + "\npoll-min=90s\n");
    Run named = run(Map.of(), "backup", "--config", file.toString(), backup() + "2");
    assertThat(named.code).as(named.err).isZero();
  }

  @Test
  void a_file_that_exists_is_replaced_only_if_that_is_asked_for() throws IOException {
    store();
    Files.writeString(Path.of(backup()), "an older one");

    Run refused = run(Map.of(), "backup", backup(), "--data", data().toString());
    assertThat(refused.code).isEqualTo(1);
    assertThat(refused.err).contains("exists", "--force").doesNotContain("Exception");
    assertThat(Path.of(backup())).hasContent("an older one");

    Run forced = run(Map.of(), "backup", "--force", backup(), "--data", data().toString());
    assertThat(forced.code).as(forced.err).isZero();
  }

  @Test
  void where_there_is_no_store_it_ends_with_1_and_makes_nothing() {
    Run run = run(Map.of(), "backup", backup(), "--data=" + data());
    assertThat(run.code).isEqualTo(1);
    assertThat(run.err).startsWith("there is no store in " + data());
    assertThat(data()).doesNotExist();
  }

  @Test
  void asked_for_wrongly_it_ends_with_2() {
    assertThat(run(Map.of(), "backup").code).isEqualTo(2);
    assertThat(run(Map.of(), "backup", backup(), "--no-such-option").code).isEqualTo(2);
    assertThat(run(Map.of(), "backup", backup(), "--data=").code).isEqualTo(2);
    Run config = run(Map.of(), "backup", backup(), "--config=" + folder.resolve("missing"));
    assertThat(config.code).isEqualTo(2);
    assertThat(config.err).startsWith("--config: ").contains("cannot be read");
  }

  @Test
  void the_help_tells_how_to_restore() {
    Run run = run(Map.of(), "backup", "--help");
    assertThat(run.code).isZero();
    assertThat(run.out).contains("--data", "--force", "FILE", "feedbridge restore");
  }

  private Path key() {
    return data().resolve("feedbridge-secrets.key");
  }

  private Run restore(Path file, Path key, Path to) {
    return run(Map.of(), "restore", file.toString(), "--key=" + key, "--data=" + to);
  }

  @Test
  void a_restored_store_has_all_that_was_backed_up_and_serves() {
    try (TestGateway gateway = TestGateway.on(data())) {
      gateway.form("/hub", "hub.mode", "publish", "hub.url", "http://feed.example/");
      String webhook = "{\"url\":\"http://127.0.0.1:5999/\",\"topics\":[\"*\"],\"verified\":true}";
      assertThat(gateway.json("POST", "/api/v1/webhooks", webhook).statusCode()).isEqualTo(201);
      assertThat(run(Map.of(), "backup", backup(), "--data=" + data()).code).isZero();
    }
    Path other = folder.resolve("new").resolve("place");

    Run run = restore(Path.of(backup()), key(), other);

    assertThat(run.code).as(run.err).isZero();
    assertThat(run.out).contains(backup(), other.toString(), "bytes");
    try (TestGateway restored = TestGateway.on(other)) {
      assertThat(restored.get("/api/v1/webhooks").body()).contains("http://127.0.0.1:5999/");
    }
  }

  @Test
  void a_folder_with_a_store_is_not_restored_into() {
    store();
    run(Map.of(), "backup", backup(), "--data=" + data());

    Run run = restore(Path.of(backup()), key(), data());

    assertThat(run.code).isEqualTo(1);
    assertThat(run.err).contains("has a store already");
    TestGateway.on(data()).close();
  }

  @Test
  void a_key_that_does_not_fit_and_a_broken_backup_leave_nothing() throws IOException {
    store();
    run(Map.of(), "backup", backup(), "--data=" + data());
    String anotherKey = Base64.getEncoder().encodeToString(new byte[32]);
    Path foreign = Files.writeString(folder.resolve("foreign"), anotherKey);
    Path other = folder.resolve("other");

    Run wrongKey = restore(Path.of(backup()), foreign, other);
    assertThat(wrongKey.code).as(wrongKey.out + wrongKey.err).isEqualTo(1);
    assertThat(wrongKey.err).contains("key");
    assertThat(other).isEmptyDirectory();

    Path broken = Files.writeString(folder.resolve("broken"), "no store");
    Run noStore = restore(broken, key(), other);
    assertThat(noStore.code).isEqualTo(1);
    assertThat(noStore.err).contains("is no sound backup").doesNotContain("Exception");
    assertThat(other).isEmptyDirectory();

    assertThat(restore(folder.resolve("missing"), key(), other).code).isEqualTo(1);
    assertThat(run(Map.of(), "restore", backup(), "--data=" + other).code).isEqualTo(2);
  }
}
