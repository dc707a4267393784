package io.feedbridge.gateway.manual;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program in the README of a library compiles and runs on the class path that it names. */
class LibraryReadmesTest {

  private static final Pattern PROGRAM =
      Pattern.compile("```java\n([^`]*?public class (\\w+) .*?)```", Pattern.DOTALL);

  private static final Pattern OUTPUT = Pattern.compile("```text\n(.*?)```", Pattern.DOTALL);

  private static final Pattern JAR =
      Pattern.compile("(?m)^\\| `([a-z]+(?:\\.[a-z0-9]+)+):([a-z0-9-]+)` \\|");

  /** A class of each of our modules, by its artifact. */
  private static final Map<String, Class<?>> OURS =
      Map.of(
          "protocol-websub", io.feedbridge.websub.Signature.class,
          "protocol-rsscloud", io.feedbridge.rsscloud.NotifyResult.class,
          "normalizer", io.feedbridge.normalizer.FeedParser.class);

  @ParameterizedTest
  @ValueSource(strings = {"protocol-websub", "protocol-rsscloud", "normalizer"})
  @Timeout(300)
  void the_program_runs_and_prints_what_the_README_shows(String module, @TempDir Path folder)
      throws Exception {
    String readme = Files.readString(Pages.TOP.resolve(module).resolve("README.md"));
    Matcher program = PROGRAM.matcher(readme);
    assertThat(program.find()).isTrue();
    String classPath = classPath(readme);
    Path source = folder.resolve(program.group(2) + ".java");
    Files.writeString(source, program.group(1));

    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(
                    null,
                    null,
                    null,
                    "-Xlint:all",
                    "-Werror",
                    "-proc:none",
                    "-cp",
                    classPath,
                    "-d",
                    folder.toString(),
                    source.toString()))
        .isZero();

    Matcher output = OUTPUT.matcher(readme);
    assertThat(output.find()).isTrue();
    assertThat(run(folder, classPath, program.group(2))).isEqualTo(output.group(1));
  }

  private static String run(Path folder, String classPath, String program)
      throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                java,
                "-XX:TieredStopAtLevel=1",
                "-cp",
                folder + File.pathSeparator + classPath,
                program)
            .redirectError(folder.resolve("errors").toFile())
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue())
        .as(printed + Files.readString(folder.resolve("errors")))
        .isZero();
    return printed;
  }

  /** The jars of the README's table, from where this test has them. */
  private static String classPath(String readme) {
    List<String> jars =
        JAR.matcher(readme).results().map(row -> place(row.group(1), row.group(2))).toList();
    assertThat(jars).hasSizeGreaterThan(2);
    return String.join(File.pathSeparator, jars);
  }

  private static String place(String group, String artifact) {
    Class<?> ours = group.equals("io.feedbridge") ? OURS.get(artifact) : null;
    if (ours != null) {
      try {
        return Path.of(ours.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
      } catch (URISyntaxException e) {
        throw new IllegalStateException(e);
      }
    }
    Pattern file = Pattern.compile(Pattern.quote(artifact) + "-[0-9].*\\.jar");
    List<String> found =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> file.matcher(Path.of(entry).getFileName().toString()).matches())
            .filter(entry -> Files.exists(Path.of(entry)))
            .distinct()
            .toList();
    assertThat(found).as(group + ":" + artifact + " on the class path of the tests").hasSize(1);
    return found.get(0);
  }
}
