package io.feedbridge.gateway.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeSet;

/**
 * The messages that the gateway sends, as an AsyncAPI 3 document. It is made of the description of
 * the API, whose webhooks and schemas it repeats, so that the two never differ.
 */
final class AsyncApi {

  private static final String SCHEMAS = "#/components/schemas/";
  private static final String REFERENCE = "$ref";

  private final JsonNode openApi;
  private final ObjectNode messages = object();
  private final ObjectNode schemas = object();

  private AsyncApi(JsonNode openApi) {
    this.openApi = openApi;
  }

  /** The document that belongs to a description by OpenAPI 3.1. */
  static ObjectNode of(JsonNode openApi) {
    return new AsyncApi(openApi).document();
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  private ObjectNode document() {
    ObjectNode channels = object();
    ObjectNode operations = object();
    channels.set("webhook", webhooks());
    operations.set("sendWebhook", sends("webhook", "A message to a webhook"));
    channels.set("stream", stream());
    operations.set("sendStream", sends("stream", "An event to a reader of the live stream"));
    channels.set("firehose", firehose());
    operations.set("sendFirehose", sends("firehose", "An entry to a reader of the WebSocket"));
    channels.set("topic", topic());
    operations.set("sendTopic", sends("topic", "A record of the topic in Kafka"));

    ObjectNode document = object();
    document.put("asyncapi", "3.0.0");
    ObjectNode info = document.putObject("info");
    info.put("title", "Feedbridge");
    info.set("version", openApi.at("/info/version"));
    info.put("description", "The messages that the gateway sends as feeds change.");
    document.put("defaultContentType", "application/json");
    document.set("channels", channels);
    document.set("operations", operations);
    ObjectNode components = document.putObject("components");
    components.set("messages", messages);
    components.set("schemas", schemas);
    return document;
  }

  private ObjectNode webhooks() {
    ObjectNode channel = object();
    channel.putNull("address");
    channel.put("description", "The URL of a webhook, which is sent each message by POST.");
    ObjectNode own = channel.putObject("messages");
    for (Map.Entry<String, JsonNode> webhook : openApi.path("webhooks").properties()) {
      JsonNode post = webhook.getValue().path("post");
      String name = webhook.getKey().replace("*", "event");
      ObjectNode message = object();
      message.set("summary", post.path("summary"));
      message.set("headers", headers(post.path("parameters")));
      message.set("payload", copied(post.at("/requestBody/content/application~1json/schema")));
      messages.set(name, message);
      own.putObject(name).put(REFERENCE, "#/components/messages/" + name);
    }
    return channel;
  }

  private ObjectNode headers(JsonNode parameters) {
    ObjectNode headers = object().put("type", "object");
    ObjectNode properties = headers.putObject("properties");
    for (JsonNode reference : parameters) {
      JsonNode parameter = openApi.at(reference.path(REFERENCE).asText().substring(1));
      ObjectNode schema = parameter.path("schema").deepCopy();
      schema.set("description", parameter.path("description"));
      properties.set(parameter.path("name").asText(), schema);
    }
    return headers;
  }

  private ObjectNode stream() {
    ObjectNode channel = object();
    channel.put("address", "/stream");
    channel.put("description", "Server-Sent Events, or lines of JSON with format=ndjson.");
    ObjectNode payload = object();
    ArrayNode all = payload.putArray("allOf");
    all.add(reference("Document"));
    ObjectNode numbered = all.addObject().put("type", "object");
    numbered
        .putObject("properties")
        .putObject("eventId")
        .put("type", "string")
        .put("description", "The number of the event, behind which a reader goes on");
    numbered.putArray("required").add("eventId");
    return with(channel, "stream.event", "The news of a feed", payload);
  }

  private ObjectNode firehose() {
    ObjectNode channel = object();
    channel.put("address", "/firehose");
    channel.put(
        "description",
        "A WebSocket. Each message is newItem, updatedItem or updatedFeed, a carriage return, and JSON.");
    ObjectNode payload = object().put("type", "object");
    ObjectNode members = payload.putObject("properties");
    members.putObject("eventId").put("type", "string");
    texts(
        members.putObject("item").put("type", "object").putObject("properties"),
        "feedUrl",
        "guid",
        "title",
        "link",
        "description",
        "pubDate",
        "whenUpdated",
        "author");
    texts(
        members.putObject("theFeed").put("type", "object").putObject("properties"),
        "feedUrl",
        "title",
        "htmlUrl",
        "description");
    payload.putArray("required").add("eventId").add("theFeed");
    return with(channel, "firehose.message", "An entry of a feed", payload);
  }

  private static void texts(ObjectNode properties, String... names) {
    for (String name : names) {
      properties.putObject(name).put("type", "string");
    }
  }

  private ObjectNode topic() {
    ObjectNode channel = object();
    channel.put("address", "feedbridge.events");
    channel.put("description", "The topic of --kafka-topic, with --kafka-format=json.");
    return with(channel, "topic.record", "An event of the log", reference("Document"));
  }

  private ObjectNode with(ObjectNode channel, String name, String summary, ObjectNode payload) {
    messages.set(name, object().put("summary", summary).set("payload", payload));
    channel.putObject("messages").putObject(name).put(REFERENCE, "#/components/messages/" + name);
    return channel;
  }

  private static ObjectNode sends(String channel, String summary) {
    ObjectNode operation = object().put("action", "send").put("summary", summary);
    operation.putObject("channel").put(REFERENCE, "#/channels/" + channel);
    return operation;
  }

  private ObjectNode reference(String schema) {
    return (ObjectNode) copied(object().put(REFERENCE, SCHEMAS + schema));
  }

  /** A schema, whose references are copied too. */
  private JsonNode copied(JsonNode schema) {
    for (String reference : new TreeSet<>(schema.findValuesAsText(REFERENCE))) {
      String name = reference.substring(SCHEMAS.length());
      if (!schemas.has(name)) {
        JsonNode named = openApi.at(reference.substring(1));
        schemas.set(name, named);
        JsonNode unused = copied(named);
      }
    }
    return schema;
  }
}
