package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.Certificate;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.spi.ToolProvider;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar lacks parts of its libraries, and everything that runs on it still runs. */
class SmallJarIT {

  /** The platforms in the manual, in the manner of the driver. */
  private static final List<String> PLATFORMS =
      List.of(
          "Linux-Musl/aarch64",
          "Linux-Musl/x86_64",
          "Linux/aarch64",
          "Linux/x86_64",
          "Mac/aarch64",
          "Mac/x86_64",
          "Windows/x86_64");

  private static final long MAX_BYTES = 25_000_000;
  private static final String NATIVE = "org/sqlite/native/";

  @TempDir Path folder;

  @Test
  void the_jar_has_less_than_25_MB_and_the_library_of_each_platform_in_the_manual()
      throws IOException {
    assertThat(Files.size(Path.of(GatewayProcess.jar()))).isLessThan(MAX_BYTES);
    try (JarFile jar = new JarFile(GatewayProcess.jar())) {
      assertThat(
              jar.stream()
                  .filter(entry -> !entry.isDirectory())
                  .map(ZipEntry::getName)
                  .filter(name -> name.startsWith(NATIVE))
                  .map(name -> name.substring(NATIVE.length(), name.lastIndexOf('/')))
                  .sorted())
          .isEqualTo(PLATFORMS);
    }
  }

  /** Of the curves of X.509 nothing is called; such keys are made by the JDK. */
  @Test
  void what_the_gateway_and_its_readers_of_keys_and_frames_refer_to_is_in_the_jar() {
    StringWriter found = new StringWriter();
    ToolProvider.findFirst("jdeps")
        .orElseThrow()
        .run(
            new PrintWriter(found),
            new PrintWriter(found),
            "--multi-release",
            "base",
            // Also what a class refers to in its own package.
            "-v",
            GatewayProcess.jar());
    assertThat(found.toString().lines().map(String::strip))
        .as("jdeps")
        .hasSizeGreaterThan(10)
        .filteredOn(line -> line.endsWith("not found"))
        .filteredOn(
            line ->
                (line.startsWith("io.feedbridge") && !line.contains("-> org.apache.kafka"))
                    || line.startsWith("io.netty.handler.codec.http.websocketx.")
                    || (line.startsWith("org.bouncycastle")
                        && !(line.startsWith("org.bouncycastle.asn1.x9.")
                            && line.contains("-> org.bouncycastle.math."))))
        .isEmpty();
  }

  @Test
  void the_jar_has_its_licence_and_the_licences_of_the_libraries_in_it() throws IOException {
    try (JarFile jar = new JarFile(GatewayProcess.jar())) {
      assertThat(text(jar, "LICENSE")).contains("Apache License");
      assertThat(text(jar, "NOTICE")).contains("META-INF/THIRD-PARTY.txt");
      assertThat(text(jar, "META-INF/THIRD-PARTY.txt"))
          .contains("netty-codec-http", "langid-java")
          .doesNotContain("Unknown license");
      assertThat(text(jar, "META-INF/LICENSE")).contains("PostgreSQL Global Development Group");
      assertThat(text(jar, "META-INF/LICENSE.txt")).contains("QOS.ch", "Jason Hunter");
      assertThat(text(jar, "META-INF/NOTICE")).contains("Jackson", "Micrometer");
      assertThat(
              jar.stream().map(ZipEntry::getName).filter(name -> name.startsWith("META-INF/lic")))
          .contains(
              "META-INF/licenses/bouncy-castle.txt",
              "META-INF/licenses/brotli.txt",
              "META-INF/licenses/langid-java.txt",
              "META-INF/licenses/logback.txt",
              "META-INF/licenses/sqlite-jdbc.txt");
      assertThat(jar.stream().map(ZipEntry::getName).filter(name -> name.endsWith("/LICENSE")))
          .anyMatch(name -> name.contains("uplot"))
          .anyMatch(name -> name.contains("jsoup"));
    }
  }

  private static String text(JarFile jar, String name) throws IOException {
    try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void TLS_and_both_text_formats_of_the_metrics_are_whole() throws Exception {
    Certificate certificate = Certificate.of(folder, "ip:127.0.0.1");
    Path chain = Files.writeString(folder.resolve("cert.pem"), certificate.certificatePem());
    Path key = Files.writeString(folder.resolve("key.pem"), certificate.keyPem());
    int port = FreePort.next();
    HttpClient client = HttpClient.newBuilder().sslContext(certificate.client()).build();
    try (GatewayProcess gateway =
        GatewayProcess.launch(
            folder.resolve("data"), port, "--tls-cert=" + chain, "--tls-key=" + key)) {
      await()
          .atMost(90, TimeUnit.SECONDS)
          .ignoreExceptions()
          .until(() -> metrics(client, port, "text/plain").statusCode() == 200);
      assertThat(gateway.isAlive()).isTrue();
      assertThat(metrics(client, port, "text/plain").body()).contains("# HELP feedbridge_");
      HttpResponse<String> open =
          metrics(client, port, "application/openmetrics-text; version=1.0.0");
      assertThat(open.body()).contains("# HELP feedbridge_");
      // A scraper that prefers protobuf gets text.
      assertThat(
              metrics(client, port, "application/vnd.google.protobuf;q=0.9,text/plain;q=0.1")
                  .body())
          .contains("# HELP feedbridge_");
    }
  }

  private static HttpResponse<String> metrics(HttpClient client, int port, String accept)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + "/metrics"))
            .header("Accept", accept)
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void a_data_folder_without_execution_is_refused_in_one_line_and_works_with_tmp()
      throws Exception {
    Path mount = Files.createDirectory(folder.resolve("noexec"));
    Assumptions.assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "noexec,size=64m", "none", mount.toString()),
        "left out: this user cannot mount a file system without execution");
    try {
      Path data = mount.resolve("data");
      GatewayProcess.Exit exit = GatewayProcess.launch(data, FreePort.next()).exit();
      assertThat(exit.code()).isEqualTo(1);
      assertThat(exit.errors().lines())
          .as("one line")
          .singleElement()
          .asString()
          .contains("noexec", "--tmp");
      try (GatewayProcess gateway =
          GatewayProcess.start(data, FreePort.next(), "--tmp=" + folder.resolve("tmp"))) {
        assertThat(gateway.healthy()).isTrue();
        assertThat(folder.resolve("tmp")).isNotEmptyDirectory();
      }
    } finally {
      run("umount", "-l", mount.toString());
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException noSuchProgram) {
      return false;
    }
  }
}
