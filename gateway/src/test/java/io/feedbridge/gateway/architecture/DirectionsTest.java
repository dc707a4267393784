package io.feedbridge.gateway.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The way of the data is the way of the packages (DESIGN §2, §3). */
@AnalyzeClasses(packages = "io.feedbridge", importOptions = ImportOption.DoNotIncludeTests.class)
class DirectionsTest {

  private static final String GATEWAY = "io.feedbridge.gateway";
  private static final String[] STAGES = {
    GATEWAY + ".intake..",
    GATEWAY + ".poll..",
    GATEWAY + ".ingest..",
    GATEWAY + ".delivery..",
    GATEWAY + ".upstream..",
    GATEWAY + ".subscribers..",
    GATEWAY + ".retention.."
  };

  private static final Set<String> LARGE =
      Set.of("io.feedbridge.normalizer", "io.feedbridge.rsscloud", "io.feedbridge.websub");

  /** How the store speaks to its databases. */
  private static final String[] ADAPTERS = {
    GATEWAY + ".store.sql.database..",
    GATEWAY + ".store.sql.commit..",
    GATEWAY + ".store.sql.move..",
    GATEWAY + ".store.sqlite..",
    GATEWAY + ".store.postgres.."
  };

  @ArchTest
  static final ArchRule the_normalizer_knows_nothing_else_of_ours =
      noClasses()
          .that()
          .resideInAPackage("io.feedbridge.normalizer..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(GATEWAY + "..", "io.feedbridge.websub..", "io.feedbridge.rsscloud..");

  @ArchTest
  static final ArchRule protocol_websub_knows_nothing_else_of_ours =
      noClasses()
          .that()
          .resideInAPackage("io.feedbridge.websub..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              GATEWAY + "..", "io.feedbridge.normalizer..", "io.feedbridge.rsscloud..");

  @ArchTest
  static final ArchRule protocol_rsscloud_knows_nothing_else_of_ours =
      noClasses()
          .that()
          .resideInAPackage("io.feedbridge.rsscloud..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              GATEWAY + "..", "io.feedbridge.normalizer..", "io.feedbridge.websub..");

  @ArchTest
  static final ArchRule packages_have_no_cycles =
      slices().matching("io.feedbridge.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule no_stage_calls_another =
      slices()
          .matching(GATEWAY + ".(intake|poll|ingest|delivery|upstream|subscribers|retention)..")
          .should()
          .notDependOnEachOther();

  @ArchTest
  static final ArchRule stages_know_neither_the_composition_root_nor_the_web =
      noClasses()
          .that()
          .resideInAnyPackage(STAGES)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              GATEWAY, GATEWAY + ".assembly..", GATEWAY + ".web..", GATEWAY + ".server..");

  @ArchTest
  static final ArchRule only_the_composition_root_knows_the_adapters =
      classes()
          .that()
          .resideInAnyPackage(ADAPTERS)
          .or()
          .haveSimpleNameStartingWith("Sql")
          .should()
          .onlyHaveDependentClassesThat()
          .resideInAnyPackage(
              GATEWAY,
              GATEWAY + ".assembly..",
              GATEWAY + ".offline..",
              GATEWAY + ".store.sql..",
              GATEWAY + ".store.sqlite..",
              GATEWAY + ".store.postgres..");

  @ArchTest
  static final ArchRule the_stores_rules_know_no_engine =
      noClasses()
          .that()
          .resideInAPackage(GATEWAY + ".store.sql..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              GATEWAY + ".store.sqlite..",
              GATEWAY + ".store.postgres..",
              "org.sqlite..",
              "org.postgresql..",
              "com.zaxxer..",
              "org.flywaydb..");

  @ArchTest
  static final ArchRule an_engine_knows_no_other_engine =
      noClasses()
          .that()
          .resideInAPackage(GATEWAY + ".store.postgres..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(GATEWAY + ".store.sqlite..", "org.sqlite..");

  @ArchTest
  static final ArchRule the_stores_rules_are_layers =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(GATEWAY + ".store.sql..")
          .layer("store")
          .definedBy(GATEWAY + ".store.sql")
          .layer("deliveries")
          .definedBy(GATEWAY + ".store.sql.deliveries..")
          .layer("subscriptions")
          .definedBy(GATEWAY + ".store.sql.subscriptions..")
          .layer("feeds")
          .definedBy(GATEWAY + ".store.sql.feeds..")
          .layer("commit")
          .definedBy(GATEWAY + ".store.sql.commit..")
          .layer("database")
          .definedBy(GATEWAY + ".store.sql.database..")
          .whereLayer("commit")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("store")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("deliveries")
          .mayOnlyBeAccessedByLayers("store")
          .whereLayer("subscriptions")
          .mayOnlyBeAccessedByLayers("store", "deliveries")
          .whereLayer("feeds")
          .mayOnlyBeAccessedByLayers("store", "deliveries", "subscriptions");

  @ArchTest
  static final ArchRule databases_are_spoken_to_by_the_adapters_alone =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              GATEWAY + ".store.sql..",
              GATEWAY + ".store.sqlite..",
              GATEWAY + ".store.postgres..",
              GATEWAY + ".bench..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "java.sql..", "org.jdbi..", "org.sqlite..", "org.postgresql..", "com.zaxxer..");

  @ArchTest
  static final ArchRule netty_is_for_the_server_and_the_client =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              GATEWAY + ".assembly..",
              GATEWAY + ".server..",
              GATEWAY + ".client..",
              GATEWAY + ".demo..",
              GATEWAY + ".cli.receive..",
              GATEWAY + ".bench..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.netty..");

  @ArchTest
  static final ArchRule server_client_ports_and_the_log_know_no_stage =
      noClasses()
          .that()
          .resideInAnyPackage(
              GATEWAY + ".server..",
              GATEWAY + ".client..",
              GATEWAY + ".store..",
              GATEWAY + ".work..",
              GATEWAY + ".log..",
              GATEWAY + ".schedule..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(STAGES);

  @ArchTest
  static final ArchRule server_and_client_know_nothing_of_feeds =
      noClasses()
          .that()
          .resideInAnyPackage(GATEWAY + ".server..", GATEWAY + ".client..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              GATEWAY + ".store..",
              GATEWAY + ".work..",
              "io.feedbridge.normalizer..",
              "io.feedbridge.websub..",
              "io.feedbridge.rsscloud..");

  @ArchTest
  static final ArchRule json_is_read_and_written_at_the_edges =
      noClasses()
          .that()
          .resideInAPackage(GATEWAY + "..")
          .and()
          .resideOutsideOfPackages(
              GATEWAY + ".web..",
              GATEWAY + ".store",
              GATEWAY + ".store.feeds",
              GATEWAY + ".cli..",
              GATEWAY + ".bench..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.fasterxml.jackson..");

  @ArchTest
  static final ArchRule delivery_sends_before_it_decides =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(GATEWAY + ".delivery..")
          .layer("fan-out")
          .definedBy(GATEWAY + ".delivery")
          .layer("webhooks")
          .definedBy(GATEWAY + ".delivery.webhooks")
          .layer("rounds")
          .definedBy(GATEWAY + ".delivery.rounds")
          .layer("laggards")
          .definedBy(GATEWAY + ".delivery.laggards")
          .layer("send")
          .definedBy(GATEWAY + ".delivery.send")
          .layer("hosts")
          .definedBy(GATEWAY + ".delivery.hosts")
          .whereLayer("fan-out")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("webhooks")
          .mayOnlyBeAccessedByLayers("fan-out")
          .whereLayer("rounds")
          .mayOnlyBeAccessedByLayers("fan-out")
          .whereLayer("laggards")
          .mayOnlyBeAccessedByLayers("fan-out", "rounds", "webhooks")
          .whereLayer("send")
          .mayOnlyBeAccessedByLayers("fan-out", "rounds", "webhooks", "laggards");

  @ArchTest
  static final ArchRule handlers_know_nothing_of_the_routes =
      noClasses()
          .that()
          .resideInAPackage(GATEWAY + ".web.(*)")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(GATEWAY + ".web");

  @ArchTest
  static final ArchRule the_parts_are_known_by_the_gateway_and_its_node_alone =
      noClasses()
          .that()
          .resideOutsideOfPackages(GATEWAY, GATEWAY + ".assembly..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(GATEWAY + ".assembly..");

  @ArchTest
  static final ArchRule the_web_is_known_by_the_composition_root_alone =
      noClasses()
          .that()
          .resideOutsideOfPackages(GATEWAY, GATEWAY + ".assembly..", GATEWAY + ".web..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(GATEWAY + ".web..");

  /** The libraries have more. */
  @ArchTest
  static void a_package_has_at_most_25_types(JavaClasses classes) {
    Map<String, Long> sizes =
        classes.stream()
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
    sizes.keySet().removeAll(LARGE);
    assertThat(sizes)
        .allSatisfy((name, types) -> assertThat(types).as(name).isLessThanOrEqualTo(25));
  }
}
