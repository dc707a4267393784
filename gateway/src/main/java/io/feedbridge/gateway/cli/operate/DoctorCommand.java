package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.feedbridge.gateway.cli.operate.Finding.Result;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import io.feedbridge.gateway.cli.remote.PlainText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code feedbridge doctor}: whether a gateway can do its work where it stands. */
@Command(
    name = "doctor",
    description =
        "Checks a running gateway and its place: health, clock, disk, descriptors, and its public"
            + " URL as strangers see it (DNS, TLS, access). Names each fault and the step that mends it.",
    footer = {
      "",
      "It ends with 0 when no check failed, with 1 when one did, with 2 when the arguments are"
          + " wrong. A warning is no failure."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class DoctorCommand extends RemoteCommand {

  @Option(
      names = "--public-url",
      paramLabel = "URL",
      defaultValue = "",
      description =
          "The URL by which hubs, clouds and readers reach the gateway; without it the one that the"
              + " gateway tells.")
  private String publicUrl = "";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "",
      description =
          "The gateway's data directory, where it is on this machine; without it the free space that"
              + " the gateway tells.")
  private String data = "";

  private final Clock clock = Clock.systemUTC();

  @Override
  int run(GatewayClient client) {
    List<Finding> findings = new ArrayList<>();
    Optional<URI> named = publicUrl.isEmpty() ? Optional.empty() : Optional.of(url(publicUrl));
    JsonNode told = addGateway(client, findings);
    addDisk(told, findings);
    named
        .or(
            () ->
                Optional.of(told.path("publicUrl").asText())
                    .filter(own -> !own.isEmpty())
                    .map(this::url))
        .ifPresentOrElse(
            url -> addPublic(url, findings),
            () ->
                findings.add(
                    Finding.skipped(
                        "public URL",
                        "No public URL is known, so the view of strangers was not checked.",
                        "Name it with --public-url.")));
    show(findings);
    boolean failed = findings.stream().anyMatch(one -> one.result() == Result.FAIL);
    say(failed ? "Something has to be mended." : "No check failed.");
    return failed ? FAILED : 0;
  }

  private URI url(String text) {
    try {
      URI url = new URI(text.replaceFirst("/+$", ""));
      String scheme = String.valueOf(url.getScheme());
      if (url.getHost() != null
          && url.getRawUserInfo() == null
          && (scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https"))) {
        return url;
      }
    } catch (URISyntaxException e) {
      // Told below, like any other text that is no such URL.
    }
    throw new ParameterException(
        spec().commandLine(),
        "--public-url: '%s' is not an http or https URL such as https://feeds.example.org"
            .formatted(PlainText.of(text)));
  }

  /** Returns the place as the gateway tells it; a missing node where it tells nothing. */
  private static JsonNode addGateway(GatewayClient client, List<Finding> findings) {
    try {
      GatewayClient.Answer health = inTime(client, () -> client.get("/health"));
      findings.add(Diagnosis.health(health.status(), health.body()));
      if (!health.body().contains(Diagnosis.STANDBY)) {
        Map<String, Double> meters = inTime(client, () -> StatusCommand.read(client));
        findings.add(Diagnosis.clockSetBack(meters));
        findings.add(Diagnosis.clockOfOrigins(meters));
        findings.add(Diagnosis.descriptors(meters));
      }
      return inTime(client, () -> client.json(client.get("/api/v1/gateway")));
    } catch (GatewayException e) {
      findings.add(Finding.fail("gateway", e.reason(), ""));
      return MissingNode.getInstance();
    }
  }

  private interface Reading<T> {
    T read() throws GatewayException;
  }

  /** Other commands wait longer for a gateway that has much to do. */
  private static <T> T inTime(GatewayClient client, Reading<T> reading) throws GatewayException {
    CompletableFuture<T> read = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                read.complete(reading.read());
              } catch (GatewayException | RuntimeException e) {
                read.completeExceptionally(e);
              }
            },
            "doctor");
    reader.setDaemon(true);
    reader.start();
    try {
      return read.get(PublicUrl.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw client.noGateway(
          "no whole answer came within %d s".formatted(PublicUrl.TIMEOUT.toSeconds()));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GatewayException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw client.noGateway(
          "no whole answer came within %d s".formatted(PublicUrl.TIMEOUT.toSeconds()));
    }
  }

  private void addDisk(JsonNode told, List<Finding> findings) {
    if (data.isEmpty()) {
      findings.add(
          told.path("freeBytes").isNumber()
              ? Diagnosis.space(told.path("freeBytes").asLong())
              : Finding.skipped(
                  "disk",
                  "The gateway does not tell the space that it has.",
                  "Name its data directory with --data on its machine."));
      return;
    }
    try {
      findings.add(Diagnosis.space(Files.getFileStore(Path.of(data)).getUsableSpace()));
    } catch (IOException | InvalidPathException e) {
      findings.add(
          Finding.fail(
              "disk",
              "The data directory cannot be read: " + e.getMessage(),
              "Let --data name the directory of the gateway."));
    }
  }

  private void addPublic(URI url, List<Finding> findings) {
    PublicUrl strangers = new PublicUrl(url);
    List<InetAddress> addresses = strangers.addresses();
    findings.add(Diagnosis.names(url.getHost(), addresses));
    try {
      PublicUrl.Answer health = strangers.get("/health");
      Instant now = clock.instant();
      findings.add(Diagnosis.reachable(url, health.status(), health.body()));
      findings.add(Diagnosis.encryption(url, health.certificateEnds(), now));
      if (addresses.stream().allMatch(DoctorCommand::isOfThisMachine)) {
        findings.add(
            Finding.skipped(
                "clock",
                "The public URL leads to this machine, whose clock was compared with no other.",
                "Run the doctor on another machine too."));
        findings.add(
            Finding.skipped(
                "access",
                "The public URL leads to this machine, which is no stranger to the gateway.",
                ""));
      } else {
        health.date().ifPresent(date -> findings.add(Diagnosis.clock(date, now)));
        findings.add(Diagnosis.strangers(strangers.get("/api/v1/feeds?limit=1").status()));
        findings.add(Diagnosis.metrics(strangers.get("/metrics").status()));
      }
    } catch (SSLException e) {
      findings.add(
          Diagnosis.refusedCertificate(url, certificateEnd(strangers), clock.instant(), reason(e)));
    } catch (IOException e) {
      findings.add(
          Finding.fail(
              "public URL",
              "%s did not answer (%s).".formatted(url, reason(e)),
              "Look at the firewall, the proxy and its certificate. A router may refuse a machine"
                  + " inside that calls its own public address: try another machine."));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      findings.add(Finding.fail("public URL", "The check was interrupted.", ""));
    }
  }

  private static boolean isOfThisMachine(InetAddress address) {
    try {
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return false;
    }
  }

  private static Optional<Instant> certificateEnd(PublicUrl url) {
    try {
      return url.certificateEnd();
    } catch (IOException noCertificate) {
      return Optional.empty();
    }
  }

  private static String reason(IOException e) {
    String kind = e.getClass().getSimpleName().replace("Exception", "");
    return e.getMessage() == null ? kind : kind + ": " + e.getMessage();
  }

  private void show(List<Finding> findings) {
    for (Finding one : findings) {
      tell(
          JsonNodeFactory.instance
              .objectNode()
              .put("check", one.check())
              .put("result", one.result().label())
              .put("text", one.text())
              .put("advice", one.advice()));
      String line =
          one.result().name() + " " + one.check() + ": " + one.text() + " " + one.advice();
      sayResult(line.strip());
    }
  }
}
