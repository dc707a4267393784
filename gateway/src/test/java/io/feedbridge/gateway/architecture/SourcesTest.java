package io.feedbridge.gateway.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** How long sources, methods and lists of parameters are. */
class SourcesTest {

  private static final int MAX_LINES = 400;
  private static final int MAX_BODY = 60;
  private static final int MAX_PARAMETERS = 8;

  @Test
  void a_source_of_the_program_has_at_most_400_lines() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (Path source : sources("main")) {
      if (Files.readAllLines(source).size() > MAX_LINES) {
        tooLong.add(source.getFileName().toString());
      }
    }
    assertThat(tooLong).isEmpty();
  }

  /** Records may have more parameters: their names stand beside the values of each. */
  @Test
  void a_method_has_at_most_60_lines_and_8_parameters() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> tooLong = new ArrayList<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources("main")));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        new Methods(unit, positions, tooLong).scan(unit, null);
      }
    }
    assertThat(tooLong).isEmpty();
  }

  /** All sources of a kind, of each module. */
  static List<Path> sources(String kind) throws IOException {
    List<Path> all = new ArrayList<>();
    for (String module : List.of("normalizer", "protocol-websub", "protocol-rsscloud", "gateway")) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src", kind, "java"))) {
        List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
        assertThat(sources).isNotEmpty();
        all.addAll(sources);
      }
    }
    return all;
  }

  private static final class Methods extends TreePathScanner<Void, Void> {

    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<String> tooLong;

    Methods(CompilationUnitTree unit, SourcePositions positions, List<String> tooLong) {
      this.unit = unit;
      this.positions = positions;
      this.tooLong = tooLong;
    }

    @Override
    public Void visitMethod(MethodTree method, Void nothing) {
      if (method.getBody() != null && lines(method.getBody()) > MAX_BODY) {
        tooLong.add("%s has %d lines".formatted(name(method), lines(method.getBody())));
      }
      ClassTree owner = (ClassTree) getCurrentPath().getParentPath().getLeaf();
      boolean makesRecord =
          owner.getKind() == Tree.Kind.RECORD && method.getName().contentEquals("<init>");
      if (!makesRecord && method.getParameters().size() > MAX_PARAMETERS) {
        tooLong.add("%s has %d parameters".formatted(name(method), method.getParameters().size()));
      }
      return super.visitMethod(method, null);
    }

    /** Without the lines of the braces. */
    private long lines(Tree body) {
      return line(positions.getEndPosition(unit, body))
          - line(positions.getStartPosition(unit, body))
          - 1;
    }

    private long line(long position) {
      return unit.getLineMap().getLineNumber(position);
    }

    private String name(MethodTree method) {
      return unit.getSourceFile().getName() + "#" + method.getName();
    }
  }
}
