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
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
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

  /**
   * {@code URI.create} and {@code URI.resolve(String)} throw on what a redirect, a feed or a caller
   * may well name. Constants may use them, and classes that read the gateway's own URL or what its
   * operator typed.
   */
  @ArchTest
  static final ArchRule urls_from_outside_are_read_with_a_checked_exception =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.feedbridge.gateway.bench..",
              "io.feedbridge.gateway.cli..",
              "io.feedbridge.gateway.demo..")
          .and()
          .doNotHaveFullyQualifiedName("io.feedbridge.gateway.config.Settings")
          .and()
          .doNotHaveFullyQualifiedName("io.feedbridge.gateway.publish.SavedFeeds")
          .should()
          .accessTargetWhere(new UncheckedUri());

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

  /**
   * Tests put others in the place of six parts of the store ({@code WrappedStore}); {@code
   * MoveSource} and {@code MoveTarget} keep the move free of both engines.
   */
  @ArchTest
  static void an_interface_of_the_store_has_more_than_one_implementation(JavaClasses classes) {
    assertThat(classes)
        .filteredOn(JavaClass::isInterface)
        .filteredOn(type -> type.getPackageName().startsWith("io.feedbridge.gateway.store"))
        .filteredOn(
            type -> type.getMethods().stream().filter(HouseRulesTest::isAbstract).count() > 1)
        .filteredOn(type -> implementations(type) < 2)
        .extracting(JavaClass::getSimpleName)
        .containsExactlyInAnyOrder(
            "Feeds",
            "Laggards",
            "Log",
            "MoveSource",
            "MoveTarget",
            "Rounds",
            "Subscriptions",
            "UpstreamSubscriptions");
  }

  private static boolean isAbstract(JavaMethod method) {
    return method.getModifiers().contains(JavaModifier.ABSTRACT);
  }

  private static long implementations(JavaClass type) {
    return type.getAllSubclasses().stream().filter(sub -> !sub.isInterface()).count();
  }

  @Test
  void no_test_sleeps() throws IOException {
    Pattern sleep = Pattern.compile("Thread\\.sleep\\(|TimeUnit\\.\\w+\\.sleep\\(");
    assertThat(testsWith(sleep)).isEmpty();
  }

  /**
   * Others stand on WireMock, or are the gateway's own server. {@code FreePort} looks whether a
   * port is free, and {@code TcpProxy} passes on to a real PostgreSQL: both answer nothing.
   */
  @Test
  void three_servers_of_the_tests_are_home_made() throws IOException {
    Pattern listens =
        Pattern.compile(
            "new Server(Socket|Bootstrap)\\(|createServerSocket\\(|sun\\.net\\.httpserver");
    assertThat(testsWith(listens))
        .containsExactlyInAnyOrder(
            "RawHost.java",
            "NettyHost.java",
            "TransactionPooler.java",
            "TcpProxy.java",
            "FreePort.java");
  }

  /** The names of all sources of tests, other than this one, in which a pattern is found. */
  private static List<String> testsWith(Pattern pattern) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : SourcesTest.sources("test")) {
      if (!source.endsWith("HouseRulesTest.java")
          && pattern.matcher(Files.readString(source)).find()) {
        found.add(source.getFileName().toString());
      }
    }
    return found;
  }

  private static final class UncheckedUri extends DescribedPredicate<JavaAccess<?>> {
    UncheckedUri() {
      super("URI.create or URI.resolve(String), other than for a constant");
    }

    @Override
    public boolean test(JavaAccess<?> access) {
      boolean create = access.getName().equals("create");
      boolean resolve =
          access.getName().equals("resolve")
              && access.getDescription().contains("resolve(java.lang.String)");
      return access.getTargetOwner().isEquivalentTo(URI.class)
          && (create || resolve)
          && !access.getOrigin().getName().equals("<clinit>");
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
