package io.feedbridge.gateway.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The way of the data is the way of the packages (DESIGN §2, §3). */
@AnalyzeClasses(packages = "io.feedbridge", importOptions = ImportOption.DoNotIncludeTests.class)
class DirectionsTest {

  private static final String GATEWAY = "io.feedbridge.gateway";
  private static final String[] STAGES = {
    GATEWAY + ".intake..",
    GATEWAY + ".ingest..",
    GATEWAY + ".fanout..",
    GATEWAY + ".upstream..",
    GATEWAY + ".downstream..",
    GATEWAY + ".retention.."
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
          .matching(GATEWAY + ".(intake|ingest|fanout|upstream|downstream|retention)..")
          .should()
          .notDependOnEachOther();

  @ArchTest
  static final ArchRule stages_see_the_ports_and_never_an_adapter =
      noClasses()
          .that()
          .resideInAnyPackage(STAGES)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              GATEWAY, GATEWAY + ".sqlite..", GATEWAY + ".face..", GATEWAY + ".server..");

  @ArchTest
  static final ArchRule only_the_composition_root_knows_the_adapters =
      classes()
          .that()
          .resideInAPackage(GATEWAY + ".sqlite..")
          .should()
          .onlyBeAccessed()
          .byAnyPackage(GATEWAY, GATEWAY + ".sqlite..");

  @ArchTest
  static final ArchRule databases_are_spoken_to_by_the_adapters_alone =
      noClasses()
          .that()
          .resideOutsideOfPackages(GATEWAY + ".sqlite..", GATEWAY + ".bench..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "org.jdbi..", "org.sqlite..", "com.zaxxer..");

  @ArchTest
  static final ArchRule netty_is_for_the_server_and_the_client =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              GATEWAY,
              GATEWAY + ".server..",
              GATEWAY + ".client..",
              GATEWAY + ".demo..",
              GATEWAY + ".bench..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.netty..");

  @ArchTest
  static final ArchRule server_client_and_ports_know_no_stage =
      noClasses()
          .that()
          .resideInAnyPackage(
              GATEWAY + ".server..",
              GATEWAY + ".client..",
              GATEWAY + ".store..",
              GATEWAY + ".work..",
              GATEWAY + ".schedule..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(STAGES);
}
