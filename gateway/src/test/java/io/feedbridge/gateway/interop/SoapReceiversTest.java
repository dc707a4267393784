package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.Rpc;
import io.feedbridge.gateway.testing.World;
import jakarta.xml.soap.MessageFactory;
import jakarta.xml.soap.MimeHeaders;
import jakarta.xml.soap.SOAPElement;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPMessage;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receivers of SOAP notifications, each with its own rule for the {@code SOAPAction}. All messages
 * are read by SAAJ; the rules are written after the behaviour of the servers that they are named
 * after, and SOAP::Lite's own daemon is called where it is installed.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SoapReceiversTest {

  private static final Logger log = LoggerFactory.getLogger(SoapReceiversTest.class);
  private static final String PROCEDURE = "feedUpdated";

  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  /**
   * A receiver.
   *
   * @param refusal why it refuses an operation with an action that stands between its quotes
   */
  record Receiver(String name, BiFunction<String, String, Optional<String>> refusal) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Receiver> receivers() {
    return Stream.of(
        new Receiver(
            "SOAP-Lite",
            (operation, action) ->
                action.isEmpty() || action.equals("#" + operation)
                    ? Optional.empty()
                    : Optional.of("SOAPAction shall match uri#method")),
        new Receiver(
            "node-soap",
            (operation, action) ->
                action.isEmpty() || action.equals(operation)
                    ? Optional.empty()
                    : Optional.of("no operation has this action")),
        new Receiver(
            "PHP",
            (operation, action) ->
                operation.equals(PROCEDURE)
                    ? Optional.empty()
                    : Optional.of("function does not exist")));
  }

  @ParameterizedTest
  @MethodSource("receivers")
  void a_receiver_passes_its_test_and_is_notified(Receiver receiver) {
    String path = receiver.name();
    String feed = world.origin().rss(path + ".xml", "", "one");
    world
        .subscriber()
        .answer(
            path, request -> CompletableFuture.completedFuture(answer(receiver, feed, request)));

    assertThat(register("/" + path, world.subscriber().port(), feed)).contains("success=\"true\"");
    world.origin().rss(path + ".xml", "", "two", "one");
    world.publish(feed);

    world.deliveries(path, 2);
    assertThat(world.gateway().rows().count("laggard")).isZero();
  }

  private String register(String path, int port, String feed) {
    return world
        .gateway()
        .form(
            "/pleaseNotify",
            "notifyProcedure",
            PROCEDURE,
            "port",
            Integer.toString(port),
            "path",
            path,
            "protocol",
            "soap",
            "domain",
            "127.0.0.1",
            "url1",
            feed)
        .body();
  }

  private static Response answer(Receiver receiver, String feed, Request request) {
    SOAPElement operation = operation(request);
    assertThat(only(operation).getValue()).isEqualTo(feed);
    String action = request.header("SOAPAction").orElse("");
    assertThat(action).as("an action is in quotes (SOAP 1.1, 6.1.1)").matches("\".*\"");
    return receiver
        .refusal()
        .apply(operation.getLocalName(), action.substring(1, action.length() - 1))
        .map(why -> Rpc.fault(request, why))
        .orElseGet(() -> Rpc.yes(request));
  }

  /**
   * As SOAP::Lite does: the path of the namespace is the class, and no namespace is the main one.
   */
  private static Response dispatch(Request request, String namespace, String feed) {
    SOAPElement operation = operation(request);
    String called = String.valueOf(operation.getNamespaceURI()).replace("null", "");
    assertThat(only(operation).getNamespaceURI()).as("the parameter is unqualified").isNull();
    assertThat(only(operation).getValue()).isEqualTo(feed);
    return called.equals(namespace)
        ? Rpc.yes(request)
        : Rpc.fault(request, "Denied access to method (%s)".formatted(operation.getLocalName()));
  }

  @ParameterizedTest
  @CsvSource({
    // dispatched to a class, and the registration is a call in its namespace
    "class, urn:Handler, feedUpdated, urn:Handler, 1",
    // to a class that the procedure names
    "named, urn:Cloud, urn:Handler#feedUpdated, urn:Handler, 1",
    // to the procedure alone, while the registration has the namespace of the cloud
    "main, urn:Cloud, feedUpdated, '', 2",
    // no namespace anywhere
    "bare, '', feedUpdated, '', 1",
  })
  void a_receiver_is_called_in_the_namespace_that_it_took_at_its_test(
      String path, String used, String procedure, String namespace, int tries) {
    String feed = world.origin().rss(path + ".xml", "", "one");
    world
        .subscriber()
        .answer(
            path, request -> CompletableFuture.completedFuture(dispatch(request, namespace, feed)));

    assertThat(registerBySoap(used, procedure, path, world.subscriber().port(), feed))
        .doesNotContain("Fault");
    world.deliveries(path, tries);
    world.origin().rss(path + ".xml", "", "two", "one");
    world.publish(feed);

    world.deliveries(path, tries + 1);
    assertThat(world.gateway().rows().count("laggard")).isZero();
  }

  @Test
  void a_receiver_that_refuses_both_is_not_registered() {
    String feed = world.origin().rss("refuses.xml", "", "one");
    world
        .subscriber()
        .answer(
            "refuses",
            request -> CompletableFuture.completedFuture(dispatch(request, "urn:None", feed)));

    String answer =
        registerBySoap("urn:A", "feedUpdated", "refuses", world.subscriber().port(), feed);

    assertThat(answer).contains("Denied access to method (feedUpdated)");
    world.deliveries("refuses", 2);
  }

  private String registerBySoap(
      String namespace, String procedure, String path, int port, String feed) {
    String envelope =
        "<E:Envelope xmlns:E=\"http://schemas.xmlsoap.org/soap/envelope/\"><E:Body>"
            + "<pleaseNotify xmlns=\"%s\"><notifyProcedure>%s</notifyProcedure><port>%d</port>"
            + "<path>/%s</path><protocol>soap</protocol><urlList>%s</urlList>"
            + "<domain>127.0.0.1</domain></pleaseNotify></E:Body></E:Envelope>";
    return world
        .gateway()
        .post(
            "/soap",
            "text/xml",
            envelope
                .formatted(namespace, procedure, port, path, feed)
                .getBytes(StandardCharsets.UTF_8))
        .body();
  }

  private static SOAPElement operation(Request request) {
    try {
      MimeHeaders headers = new MimeHeaders();
      request.header("Content-Type").ifPresent(type -> headers.addHeader("Content-Type", type));
      SOAPMessage message =
          MessageFactory.newInstance()
              .createMessage(headers, new ByteArrayInputStream(request.body()));
      return only(message.getSOAPBody());
    } catch (SOAPException | IOException e) {
      throw new AssertionError("SAAJ does not read it", e);
    }
  }

  private static SOAPElement only(SOAPElement parent) {
    SOAPElement found = null;
    for (var children = parent.getChildElements(); children.hasNext(); ) {
      if (children.next() instanceof SOAPElement element) {
        assertThat(found).isNull();
        found = element;
      }
    }
    if (found == null) {
      throw new AssertionError("there is no element in " + parent.getLocalName());
    }
    return found;
  }

  @ParameterizedTest
  @CsvSource({
    // dispatched to the procedure alone, and to a class
    "feedUpdated, feedUpdated, urn:Cloud",
    "Handler, feedUpdated, urn:Handler",
    "Handler, urn:Handler#feedUpdated, ''",
  })
  void the_stock_daemon_of_SOAP_Lite_passes_its_test_and_is_notified(
      String dispatchedTo, String procedure, String namespace, @TempDir Path folder)
      throws Exception {
    if (!isInstalled()) {
      log.warn("Perl's SOAP::Lite is not installed: its daemon is not called by this test");
      Assumptions.abort("SOAP::Lite is not installed");
    }
    Path script = folder.resolve("soap-handler.pl");
    try (InputStream source =
        SoapReceiversTest.class.getResourceAsStream("/interop/soap-handler.pl")) {
      assertThat(source).isNotNull();
      Files.write(script, source.readAllBytes());
    }
    Process daemon =
        new ProcessBuilder(List.of("perl", script.toString(), dispatchedTo))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8))) {
      int port = Integer.parseInt(said.readLine().strip());
      String name = "perl" + port + ".xml";
      String feed = world.origin().rss(name, "", "one");

      assertThat(registerBySoap(namespace, procedure, "handler", port, feed))
          .doesNotContain("Fault");
      assertThat(said.readLine()).as("the test of the handler").isEqualTo(feed);
      world.origin().rss(name, "", "two", "one");
      world.publish(feed);

      assertThat(said.readLine()).as("the notification").isEqualTo(feed);
    } finally {
      daemon.destroy();
    }
  }

  private static boolean isInstalled() {
    try {
      return new ProcessBuilder("perl", "-MSOAP::Transport::HTTP", "-e", "1")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException | InterruptedException e) {
      return false;
    }
  }
}
