package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * {@code feedbridge feeds}, {@code subscriptions}, {@code webhooks}, and the lists of tokens and
 * users.
 */
public final class ListCommand extends RemoteCommand {

  /**
   * A list of the API.
   *
   * @param command the name of the command
   * @param noun in the plural
   * @param filters the parameters of the list, each an option
   */
  private record Listing(
      String command, String path, String noun, Columns columns, List<Filter> filters) {}

  private record Filter(String parameter, String label, String text) {}

  private final Listing listing;

  @Option(
      names = "--limit",
      paramLabel = "COUNT",
      defaultValue = "1000",
      showDefaultValue = Visibility.ALWAYS,
      description = "The most that are shown.")
  private int limit;

  private ListCommand(Listing listing) {
    this.listing = listing;
  }

  /** The feeds that are followed. */
  public static CommandSpec feeds() {
    return spec(
        new Listing(
            "feeds",
            "/api/v1/feeds",
            "feeds",
            Columns.of(
                "ID",
                "/id",
                "STATE",
                "/state",
                "WAY",
                "/upstream/kind",
                "SUBSCRIBERS",
                "/subscribers",
                "URL",
                "/url"),
            List.of(
                new Filter("q", "TEXT", "Only feeds whose URL or title has this text."),
                new Filter("state", "STATE", "Only feeds in this state, such as error or gone."),
                new Filter("upstream", "WAY", "Only feeds that websub, rsscloud or poll tells of."),
                new Filter(
                    "sort", "ORDER", "In this order: added, title, url, subscribers or newest."),
                new Filter("url", "URL", "Only this feed."))),
        "Lists the feeds that a running gateway follows.");
  }

  /** Subscriptions of WebSub and rssCloud, and webhooks. */
  public static CommandSpec subscriptions() {
    return spec(
        new Listing(
            "subscriptions",
            "/api/v1/subscriptions",
            "subscriptions",
            Columns.of(
                "ID",
                "/id",
                "PROTOCOL",
                "/protocol",
                "STATE",
                "/state",
                "UNTIL",
                "/leaseEndsAt",
                "TOPIC",
                "/topic",
                "CALLBACK",
                "/callback"),
            List.of(
                new Filter("topic", "URL", "Only subscriptions of this feed."),
                new Filter("q", "TEXT", "Only subscriptions with this text in the callback."),
                new Filter("callback", "URL", "Only subscriptions with this callback."),
                new Filter("protocol", "PROTOCOL", "Only websub, rsscloud or webhook."),
                new Filter(
                    "state", "STATE", "Only subscriptions in this state, such as lagging."))),
        "Lists the subscriptions at a running gateway.");
  }

  /** Webhooks. */
  public static CommandSpec webhooks() {
    return spec(
        new Listing(
            "webhooks",
            "/api/v1/webhooks",
            "webhooks",
            Columns.of(
                "ID", "/id", "STATE", "/state", "URL", "/url", "TOPICS", "/topics", "REASON",
                "/reason"),
            List.of(
                new Filter("q", "TEXT", "Only webhooks with this text in the URL."),
                new Filter("url", "URL", "Only webhooks with this endpoint."),
                new Filter("topic", "URL", "Only webhooks of this feed."),
                new Filter("state", "STATE", "Only webhooks in this state, such as disabled."))),
        "Lists the webhooks of a running gateway.");
  }

  static CommandSpec tokens() {
    return spec(
        new Listing(
            "list",
            "/api/v1/tokens",
            "tokens",
            Columns.of("ID", "/id", "LOGIN", "/login", "RIGHTS", "/rights", "MADE", "/createdAt"),
            List.of()),
        "Lists the tokens of users. A token itself is not shown again.");
  }

  /** Users. */
  public static CommandSpec users() {
    return spec(
        new Listing(
            "list",
            "/api/v1/users",
            "users",
            Columns.of(
                "LOGIN",
                "/login",
                "PASSWORD",
                "/password",
                "TOKENS",
                "/tokens",
                "FEED SAVED",
                "/savedAt",
                "MADE",
                "/createdAt"),
            List.of()),
        "Lists the users of a running gateway.");
  }

  private static CommandSpec spec(Listing listing, String description) {
    CommandSpec spec = CommandSpec.forAnnotatedObject(new ListCommand(listing));
    spec.name(listing.command()).mixinStandardHelpOptions(true);
    spec.usageMessage()
        .description(description)
        .sortOptions(false)
        .footer(
            "",
            "It ends with 0, with 1 when the gateway could not be reached or refused, with 2 when the arguments are wrong.");
    for (Filter filter : listing.filters()) {
      spec.addOption(
          OptionSpec.builder("--" + filter.parameter())
              .type(String.class)
              .arity("1")
              .paramLabel(filter.label())
              .description(filter.text())
              .build());
    }
    return spec;
  }

  @Override
  int run(GatewayClient client) throws GatewayException {
    if (limit < 1) {
      throw new ParameterException(
          spec().commandLine(), "--limit: %d is less than 1".formatted(limit));
    }
    List<String> query = new ArrayList<>();
    for (Filter filter : listing.filters()) {
      String value = spec().findOption("--" + filter.parameter()).getValue();
      if (value != null) {
        query.addAll(List.of(filter.parameter(), value));
      }
    }
    List<JsonNode> found = Pages.read(client, listing.path(), limit, query);
    List<JsonNode> shown = found.subList(0, Math.min(limit, found.size()));
    if (isJson()) {
      shown.forEach(this::tell);
    } else if (shown.isEmpty()) {
      say("no " + listing.noun());
    } else {
      say(listing.columns().table(shown));
    }
    if (found.size() > limit) {
      complain("there are more %s: --limit shows them".formatted(listing.noun()));
    }
    return 0;
  }
}
