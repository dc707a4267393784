package io.feedbridge.gateway.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Purity, state and names. */
@AnalyzeClasses(packages = "io.feedbridge", importOptions = ImportOption.DoNotIncludeTests.class)
class HouseRulesTest {

  private static final String[] LIBRARIES = {
    "io.feedbridge.normalizer..", "io.feedbridge.websub..", "io.feedbridge.rsscloud.."
  };

  @ArchTest
  static final ArchRule the_libraries_do_no_io_and_have_no_threads =
      noClasses()
          .that()
          .resideInAnyPackage(LIBRARIES)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "java.nio.file..",
              "java.nio.channels..",
              "java.net.http..",
              "java.util.concurrent",
              "javax.net..",
              "org.slf4j..",
              "io.netty..")
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching(
              "java\\.io\\.(File.*|RandomAccessFile)|java\\.net\\.(Socket|ServerSocket|URL|URLConnection"
                  + "|HttpURLConnection|InetAddress|DatagramSocket)|java\\.lang\\.(Thread|ProcessBuilder|Process)");

  @ArchTest
  static final ArchRule the_libraries_have_no_clock_of_their_own =
      noClasses()
          .that()
          .resideInAnyPackage(LIBRARIES)
          .should()
          .callMethodWhere(target(owner(assignableTo(Instant.class))).and(target(name("now"))))
          .orShould()
          .callMethodWhere(
              target(owner(assignableTo(System.class))).and(target(name("currentTimeMillis"))))
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class);

  @ArchTest
  static final ArchRule nobody_sleeps =
      noClasses()
          .should()
          .callMethodWhere(target(owner(assignableTo(Thread.class))).and(target(name("sleep"))));

  @ArchTest
  static final ArchRule static_fields_are_final =
      fields()
          .that()
          .areStatic()
          .and()
          .doNotHaveName("$assertionsDisabled")
          .and()
          .doNotHaveName("$jacocoData")
          .should()
          .beFinal();

  @ArchTest
  static final ArchRule static_fields_hold_nothing_that_changes =
      noFields().that().areStatic().should().haveRawType(new MutableType());

  @ArchTest
  static final ArchRule classes_are_named_after_what_they_are =
      noClasses().should().haveNameMatching(".*(Utils?|Manager|Impl|Helper)");

  @Test
  void no_test_sleeps() throws IOException {
    Pattern sleep = Pattern.compile("Thread\\.sleep\\(|TimeUnit\\.\\w+\\.sleep\\(");
    List<Path> modules =
        Stream.of("normalizer", "protocol-websub", "protocol-rsscloud", "gateway")
            .map(module -> Path.of("..", module, "src", "test", "java"))
            .toList();
    for (Path module : modules) {
      try (Stream<Path> files = Files.walk(module)) {
        List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
        assertThat(sources).isNotEmpty();
        for (Path source : sources) {
          if (!source.endsWith("HouseRulesTest.java")) {
            assertThat(Files.readString(source)).as(source.toString()).doesNotContainPattern(sleep);
          }
        }
      }
    }
  }

  /** Interfaces such as List and Map may well be immutable; these cannot be. */
  private static final class MutableType extends DescribedPredicate<JavaClass> {
    MutableType() {
      super("a mutable type");
    }

    @Override
    public boolean test(JavaClass type) {
      boolean collection =
          !type.isInterface()
              && (type.isAssignableTo(Collection.class) || type.isAssignableTo(Map.class));
      return collection
          || type.getPackageName().equals("java.util.concurrent.atomic")
          || type.isAssignableTo(ThreadLocal.class)
          || type.isAssignableTo(StringBuilder.class);
    }
  }
}
