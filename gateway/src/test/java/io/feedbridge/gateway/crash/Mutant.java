package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.GatewayProcess;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A gateway with one mistake: a piece of text of one source file replaced by another.
 *
 * @param file below {@code io/feedbridge/gateway}
 * @param text occurs in it exactly once
 */
record Mutant(String name, String file, String text, String replacement) {

  private static final Path PACKAGE = Path.of("io", "feedbridge", "gateway");

  /** The gateway's own sources. */
  static final Path SOURCES =
      Path.of(System.getProperty("basedir", ".")).resolve(Path.of("src", "main", "java"));

  /** Compiles it into a folder, to be put before the jar. */
  void compileInto(Path folder) {
    try {
      Path mutated =
          Files.createTempDirectory(folder, "source").resolve(Path.of(file).getFileName());
      Files.writeString(mutated, source());
      compile(mutated, folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The source of the file with the mistake in it. */
  String source() throws IOException {
    String original = Files.readString(SOURCES.resolve(PACKAGE.resolve(file)));
    assertThat(original.split(java.util.regex.Pattern.quote(text), -1))
        .as("%s, which the mutant \"%s\" replaces in %s", text, name, file)
        .hasSize(2);
    return original.replace(text, replacement);
  }

  private static void compile(Path source, Path into) throws IOException {
    JavaCompiler compiler =
        Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "this is no JDK");
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  said,
                  files,
                  null,
                  List.of("-cp", GatewayProcess.jar(), "-d", into.toString(), "-proc:none"),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      assertThat(compiled).as(said.toString()).isTrue();
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
