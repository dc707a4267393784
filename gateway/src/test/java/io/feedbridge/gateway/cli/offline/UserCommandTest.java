package io.feedbridge.gateway.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.testing.TestGateway;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class UserCommandTest {

  @TempDir Path folder;

  private record Run(int code, String out, String err) {}

  private Run add(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(new UserCommand.Add(ConfigFile.namedBy(new String[0], Map.of())))
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments);
    return new Run(code, out.toString(), err.toString());
  }

  private String data() {
    return "--data=" + folder.resolve("data");
  }

  @Test
  void a_user_is_made_while_the_gateway_runs_and_its_password_is_shown_once() {
    try (TestGateway gateway = TestGateway.on(folder.resolve("data"))) {
      Run first = add("bull", data());

      assertThat(first.code).isZero();
      assertThat(first.out.strip()).hasSizeGreaterThan(20);
      assertThat(gateway.rows().query("SELECT login, method FROM user"))
          .containsExactly("bull|argon2id,m=19456,t=2,p=1");

      Run second = add("bull", data());
      assertThat(second.code).isEqualTo(1);
      assertThat(second.err).contains("there is a user bull");
      String before = gateway.rows().query("SELECT hash FROM user").get(0);

      assertThat(add("bull", data(), "--force").code).isZero();
      assertThat(gateway.rows().query("SELECT hash FROM user").get(0)).isNotEqualTo(before);
    }
  }

  @Test
  void with_rights_a_user_gets_a_token_and_another_one_the_next_time() {
    try (TestGateway gateway = TestGateway.on(folder.resolve("data"))) {
      Run first = add("bull", data(), "--rights", "list,retrieve");
      Run second = add("bull", data(), "--rights=save");

      assertThat(first.code).as(first.err).isZero();
      assertThat(first.out.strip()).hasSize(43).isNotEqualTo(second.out.strip());
      assertThat(gateway.rows().query("SELECT login, rights FROM token"))
          .containsExactly("bull|list retrieve", "bull|save");
      assertThat(new AccessTokens(gateway.store().tokens()).rights("bull", first.out.strip()))
          .hasValue(Set.of(Right.LIST, Right.RETRIEVE));
      assertThat(add("bull", data()).code).as("a password beside them").isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"all", "", "list,,save", "List"})
  void an_unknown_right_is_refused(String rights) {
    Run run = add("bull", data(), "--rights=" + rights);
    assertThat(run.code).isEqualTo(2);
    assertThat(run.err).contains("--rights: has an unknown one");
  }

  @Test
  void without_a_store_it_says_what_to_do() {
    Run run = add("bull", data());

    assertThat(run.code).isEqualTo(1);
    assertThat(run.err).contains("there is no store in").contains("start the gateway on it once");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-x", "a/b", "..", "a b", "é"})
  void a_name_that_cannot_stand_in_a_path_is_refused(String login) {
    Run run = add("--", login);
    assertThat(run.code).isEqualTo(2);
    assertThat(run.err).contains("LOGIN: is not a name");
  }
}
