package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.attempts.Exchange;
import io.feedbridge.gateway.delivery.webhooks.EndpointTrials;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.Behind;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.web.api.model.CallerView;
import io.feedbridge.gateway.web.api.model.EventView;
import io.feedbridge.gateway.web.api.model.FeedView;
import io.feedbridge.gateway.web.api.model.HostView;
import io.feedbridge.gateway.web.api.model.ImportReport;
import io.feedbridge.gateway.web.api.model.ListView;
import io.feedbridge.gateway.web.api.model.PublisherView;
import io.feedbridge.gateway.web.api.model.StepView;
import io.feedbridge.gateway.web.api.model.TokenView;
import io.feedbridge.gateway.web.api.model.UpstreamView;
import io.feedbridge.gateway.web.api.subscribers.SubscriberSchemas;
import io.feedbridge.gateway.web.common.Answers;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The document about the API says what the API is. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenApiTest {

  /** What the schemas describe. */
  private static final Map<String, Class<? extends Record>> RECORDS =
      Map.ofEntries(
          Map.entry("Problem", Answers.Problem.class),
          Map.entry("Feed", FeedView.class),
          Map.entry("Following", FeedView.Transport.class),
          Map.entry("Refusal", FeedView.Refusal.class),
          Map.entry("NewFeed", FeedsApi.New.class),
          Map.entry("Event", EventView.class),
          Map.entry("FeedStep", StepView.class),
          Map.entry("Behind", Behind.class),
          Map.entry("Exchange", Exchange.class),
          Map.entry("Sent", Exchange.Sent.class),
          Map.entry("ReceivedAnswer", Exchange.Answer.class),
          Map.entry("HeaderField", Exchange.Field.class),
          Map.entry("Tested", EndpointTrials.Tested.class),
          Map.entry("List", ListView.class),
          Map.entry("NewList", ListsApi.Put.class),
          Map.entry("ListChange", ListsApi.Patch.class),
          Map.entry("Member", ListView.Member.class),
          Map.entry("NewPublisher", PublishersApi.New.class),
          Map.entry("CreatedPublisher", PublisherView.Created.class),
          Map.entry("Publisher", PublisherView.class),
          Map.entry("HeldCaller", CallerView.class),
          Map.entry("NewToken", TokensApi.New.class),
          Map.entry("CreatedToken", TokenView.Created.class),
          Map.entry("Token", TokenView.class),
          Map.entry("Upstream", UpstreamView.class),
          Map.entry("Host", HostView.class),
          Map.entry("ImportReport", ImportReport.class));

  private static final Pattern VARIABLE = Pattern.compile("\\{(\\w+)}");

  private TestGateway gateway;
  private JsonNode document;

  @BeforeAll
  void start(@TempDir Path data) throws IOException {
    gateway = TestGateway.on(data);
    document = new ObjectMapper().readTree(gateway.get("/api/v1/openapi.json").body());
  }

  @AfterAll
  void stop() {
    gateway.close();
  }

  @Test
  void it_is_an_OpenAPI_3_1_document() {
    assertThat(document.get("openapi").asText()).isEqualTo("3.1.0");
    assertThat(document.at("/info/title").asText()).isEqualTo("Feedbridge");
    assertThat(document.at("/info/version").asText()).isNotEmpty();
  }

  @Test
  void it_has_every_route_and_no_other() {
    Set<String> described = new TreeSet<>();
    document
        .get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(
                        method ->
                            described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    Router router = gateway.router();
    assertThat(described)
        .isEqualTo(
            new TreeSet<>(
                router.routes().stream().filter(route -> route.contains(" " + Api.BASE)).toList()));
  }

  @Test
  void each_operation_has_a_name_of_its_own_its_variables_and_its_refusals() {
    Set<String> names = new TreeSet<>();
    document
        .get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .forEach(
                        operation -> {
                          assertThat(names.add(operation.path("operationId").asText())).isTrue();
                          assertThat(operation.path("summary").asText()).isNotEmpty();
                          assertThat(operation.get("responses").has("401")).isTrue();
                          assertThat(operation.get("responses").has("403")).isTrue();
                          List<String> inPath =
                              VARIABLE
                                  .matcher(path.getKey())
                                  .results()
                                  .map(found -> found.group(1))
                                  .toList();
                          for (String variable : inPath) {
                            assertThat(operation.path("parameters").findValuesAsText("name"))
                                .contains(variable);
                          }
                        }));
  }

  @Test
  void every_reference_leads_somewhere() {
    List<String> references = document.findValuesAsText("$ref");
    assertThat(references).isNotEmpty();
    assertThat(references)
        .allSatisfy(
            reference ->
                assertThat(document.at(reference.substring(1)).isMissingNode())
                    .as(reference)
                    .isFalse());
  }

  @Test
  void the_schemas_have_the_fields_of_what_is_sent() {
    RECORDS.forEach(this::assertDescribed);
    SubscriberSchemas.RECORDS.forEach(this::assertDescribed);
  }

  private void assertDescribed(String name, Class<? extends Record> type) {
    Set<String> described = new TreeSet<>();
    document
        .at("/components/schemas/" + name + "/properties")
        .fieldNames()
        .forEachRemaining(described::add);
    assertThat(described)
        .as(name)
        .isEqualTo(
            new TreeSet<>(
                Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList()));
  }
}
