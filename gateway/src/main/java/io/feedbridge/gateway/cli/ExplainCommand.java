package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.feedbridge.gateway.cli.remote.JsonLine;
import io.feedbridge.gateway.cli.remote.PlainText;
import io.feedbridge.gateway.client.ClientConfig;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.explain.Explainer;
import io.feedbridge.gateway.explain.Explanation;
import io.feedbridge.gateway.guard.KnownHubs;
import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.ingest.digest.PollSchedule;
import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.fetch.LocalTopics;
import io.feedbridge.gateway.ingest.fetch.Origins;
import io.feedbridge.gateway.ingest.fetch.UserAgent;
import io.feedbridge.gateway.runtime.Version;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge explain}: how a feed would be followed, and why. */
@Command(
    name = "explain",
    description =
        "Fetches a feed once and shows how a gateway would follow it, and why: every redirect,"
            + " hub, cloud, hint and validator that was found, and the choice.",
    footer = {
      "",
      "It needs no gateway. The URL is fetched wherever it leads, private networks included. It"
          + " ends with 0, with 1 when the feed could not be read, with 2 when the arguments are"
          + " wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ExplainCommand implements Callable<Integer> {

  private static final int FAILED = 1;

  /** The bounds that a gateway has by default. */
  private static final PollSchedule CADENCE =
      new PollSchedule(
          Options.POLL_MIN.usual(),
          Options.POLL_MAX.usual(),
          Options.BACKUP_POLL.usual(),
          Options.PING_RECHECK.usual(),
          false);

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "URL", description = "The feed, or a page that leads to it.")
  private String url = "";

  @Option(
      names = "--json",
      description = "Write the answer of GET /api/v1/explain, as a line of JSON.")
  private boolean json;

  private final Clock clock;

  ExplainCommand(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Integer call() throws JsonProcessingException {
    Explanation explanation = explain(topic());
    String text =
        json
            ? JsonLine.of(
                JsonMapper.builder()
                    .addModule(new JavaTimeModule())
                    .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                    .build()
                    .writeValueAsString(explanation))
            : new ExplanationText(clock.instant()).of(explanation);
    spec.commandLine().getOut().println(text);
    spec.commandLine().getOut().flush();
    return explanation.problem() == null ? 0 : FAILED;
  }

  private String topic() {
    try {
      return TopicUrl.normalize("it", url);
    } catch (BadHubRequestException e) {
      throw new ParameterException(
          spec.commandLine(),
          "'%s' cannot be followed: %s".formatted(PlainText.of(url), e.reason()));
    }
  }

  private Explanation explain(String topic) {
    ExecutorService reader = Executors.newSingleThreadExecutor();
    AddressPolicy anywhere = AddressPolicy.allowing(List.of("0.0.0.0/0", "::/0"), List.of());
    try (OutboundClient client = OutboundClient.start(1, ClientConfig.defaults(), anywhere)) {
      UserAgent userAgent = new UserAgent("Feedbridge", Version.current(), null);
      Fetcher fetcher =
          new Fetcher(client, LocalTopics.NONE, userAgent, KnownHubs.USUAL, clock, reader);
      Origins origins = Origins.inMemory(CADENCE.max(), clock);
      FirstLook look = new FirstLook(fetcher, origins, CADENCE, clock);
      return new Explainer(look, Optional.empty(), clock).explain(topic);
    } finally {
      reader.shutdownNow();
    }
  }
}
