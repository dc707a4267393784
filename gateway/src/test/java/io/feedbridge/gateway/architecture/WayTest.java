package io.feedbridge.gateway.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The classes that the README names on the way of the data are those that a reader meets. */
@AnalyzeClasses(
    packages = "io.feedbridge.gateway",
    importOptions = ImportOption.DoNotIncludeTests.class)
class WayTest {

  private static final Pattern TYPE = Pattern.compile("`([a-z.]+\\.[A-Z]\\w+)`");
  private static final String GATEWAY = "io.feedbridge.gateway.";

  @ArchTest
  static void a_light_ping_passes_at_most_14_classes(JavaClasses classes) throws IOException {
    hold(way("From a light ping to its event", 14), classes);
  }

  @ArchTest
  static void a_signed_delivery_passes_at_most_26_classes(JavaClasses classes) throws IOException {
    hold(way("From a signed delivery of a hub to the delivery to a subscriber", 26), classes);
  }

  /** The classes of the table after a sentence that says how many they are. */
  private static List<String> way(String sentence, int most) throws IOException {
    String text = Files.readString(Path.of("README.md"));
    int begin = text.indexOf(sentence);
    assertThat(begin).as(sentence).isNotNegative();
    int end = text.indexOf("\n\n", text.indexOf("|---", begin));
    List<String> names = new ArrayList<>();
    Matcher types = TYPE.matcher(text.substring(begin, end));
    while (types.find()) {
      names.add(GATEWAY + types.group(1));
    }
    assertThat(names).doesNotHaveDuplicates().hasSizeBetween(2, most);
    assertThat(text.substring(begin)).startsWith(sentence + ", " + names.size() + " classes:");
    return names;
  }

  /** Each is called by one before it, itself or by an interface, or begins a stage. */
  private static void hold(List<String> way, JavaClasses classes) {
    for (int i = 1; i < way.size(); i++) {
      JavaClass next = classes.get(way.get(i));
      Set<String> called =
          way.subList(0, i).stream()
              .flatMap(name -> targets(name, classes))
              .collect(Collectors.toSet());
      boolean begins = List.of("Ingest", "Fanout").contains(next.getSimpleName());
      boolean met =
          called.contains(next.getName())
              || next.getAllRawInterfaces().stream()
                  .anyMatch(port -> called.contains(port.getName()));
      assertThat(begins || met).as(next.getName()).isTrue();
    }
  }

  private static Stream<String> targets(String name, JavaClasses classes) {
    return classes.stream()
        .filter(type -> type.getName().equals(name) || type.getName().startsWith(name + "$"))
        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
        .map(Dependency::getTargetClass)
        .map(JavaClass::getName);
  }
}
