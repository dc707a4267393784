package io.feedbridge.gateway.cli.receive;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.feedbridge.gateway.cli.remote.GatewayOptions;
import io.feedbridge.gateway.cli.remote.JsonLine;
import io.feedbridge.gateway.cli.remote.PlainText;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code feedbridge receive}: a callback to try subscriptions with. */
@Command(
    name = "receive",
    description =
        "Runs a receiver of deliveries, to try a subscription with. Every path of it confirms the"
            + " challenges of WebSub, rssCloud (http-post) and webhooks, checks signatures, and"
            + " prints each request.",
    footer = {
      "",
      "Ctrl-C ends it. It ends with 0 after --count deliveries, with 1 when it cannot listen or a"
          + " delivery had a missing or wrong signature, with 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ReceiveCommand implements Callable<Integer> {

  private static final int FAILED = 1;
  private static final int MAX_PORT = 65_535;
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8080",
      showDefaultValue = Visibility.ALWAYS,
      description = "The port to listen on; 0 for any free one.")
  private int port;

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      showDefaultValue = Visibility.ALWAYS,
      description = "The address to listen on; 0.0.0.0 for all.")
  private String address = "";

  @Option(
      names = "--secret",
      paramLabel = "SECRET",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description =
          "The secret of the subscription; whsec_… is a webhook's. Other users of this machine can"
              + " read the command line: FEEDBRIDGE_SECRET is safer.")
  private String secret = "";

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description = "The file that holds the secret, in place of --secret.")
  private String secretFile = "";

  @Option(
      names = "--count",
      paramLabel = "COUNT",
      defaultValue = "0",
      showDefaultValue = Visibility.NEVER,
      description = "End after so many deliveries; challenges do not count.")
  private int count;

  @Option(names = "--json", description = "Write each request as a line of JSON.")
  private boolean json;

  private final Clock clock;

  private final CountDownLatch ended = new CountDownLatch(1);

  private int deliveries;
  private boolean bad;

  /** A command with the clock that signatures are checked by. */
  public ReceiveCommand(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Integer call() throws InterruptedException {
    InetSocketAddress listen = listen();
    Optional<String> key = secret();
    try (Receiver receiver = new Receiver(listen, key, clock, this::show)) {
      out(
          json
              ? JsonNodeFactory.instance.objectNode().put("url", url(receiver.address())).toString()
              : "listening on %s".formatted(url(receiver.address())));
      ended.await();
    } catch (IOException e) {
      spec.commandLine().getErr().println(PlainText.of(String.valueOf(e.getMessage())));
      return FAILED;
    }
    return bad ? FAILED : 0;
  }

  private InetSocketAddress listen() {
    if (port < 0 || port > MAX_PORT) {
      throw wrong("--port: %d is not a port from 0 to %d".formatted(port, MAX_PORT));
    }
    if (count < 0) {
      throw wrong("--count: %d is less than 0".formatted(count));
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(address), port);
    } catch (UnknownHostException e) {
      throw wrong("--address: '%s' is not an address".formatted(PlainText.of(address)));
    }
  }

  private Optional<String> secret() {
    String text = GatewayOptions.secret(spec, "--secret", secret, secretFile);
    if (text.startsWith(WebhookSecret.PREFIX)) {
      try {
        WebhookSecret.parse(text);
      } catch (IllegalArgumentException e) {
        throw wrong("--secret: " + e.getMessage());
      }
    }
    return Optional.of(text).filter(given -> !given.isEmpty());
  }

  private ParameterException wrong(String problem) {
    return new ParameterException(spec.commandLine(), problem);
  }

  private static String url(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return "http://%s:%d/"
        .formatted(host.contains(":") ? "[" + host + "]" : host, address.getPort());
  }

  /** One at a time. */
  private void show(Received received) {
    if (ended.getCount() == 0) {
      return;
    }
    if (json) {
      out(line(received));
    } else {
      print(received);
    }
    bad |= received.signature().isBad();
    if (received.isDelivery()) {
      deliveries++;
      if (deliveries == count) {
        ended.countDown();
      }
    }
  }

  private String line(Received received) {
    ObjectNode line =
        JsonNodeFactory.instance
            .objectNode()
            .put("at", clock.instant().toString())
            .put("kind", received.kind())
            .put("path", received.path())
            .put("signature", received.signature().name().toLowerCase(java.util.Locale.ROOT));
    if (!received.id().isEmpty()) {
      line.put("id", received.id());
    }
    return JsonLine.of(line.put("text", received.text()).toString());
  }

  private void print(Received received) {
    StringBuilder head =
        new StringBuilder(TIME.format(clock.instant().atZone(ZoneId.systemDefault())));
    head.append(' ').append(received.path()).append(": ").append(received.kind());
    if (!received.id().isEmpty()) {
      head.append(", ").append(received.id());
    }
    String check = received.signature().words();
    out(PlainText.of(check.isEmpty() ? head.toString() : head + ", " + check));
    received.text().lines().forEach(line -> out("  " + PlainText.of(line)));
  }

  private void out(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
