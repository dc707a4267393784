package io.feedbridge.gateway.crash;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.crash.Fact.Fault;
import io.feedbridge.gateway.testing.Http;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What stands in a delivered body.
 *
 * @param entries by number, in the order of the document
 * @param wrong null if all is well
 */
record Reading(List<Integer> entries, @Nullable Fault wrong) {

  private static final Pattern ATOM_ENTRY = Pattern.compile("<entry\\b.*?</entry>", Pattern.DOTALL);
  private static final Pattern ATOM_ID =
      Pattern.compile("<dc:identifier[^>]*>([^<]*)</dc:identifier>");
  private static final Pattern ATOM_TITLE = Pattern.compile("<title[^>]*>([^<]*)</title>");
  private static final Pattern RSS_ITEM =
      Pattern.compile("<guid isPermaLink=\"false\">([^<]*)</guid><title>([^<]*)</title>");
  private static final Pattern PAGE_PART =
      Pattern.compile("<p class=\"news\">Title of ([^<]*)</p>");
  private static final Pattern DATA_PART = Pattern.compile("\"Title of ([^\"]*)\"");
  private static final String TITLE = "Title of ";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Reads what a follower was sent. */
  static Reading of(Follower follower, byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8);
    return switch (follower.kind()) {
      case ATOM, DIGEST -> atom(follower.topic(), text);
      case JSON, WEBHOOK, SELDOM, SELDOM_WEBHOOK, TEMPLATE_WEBHOOK -> json(follower, text);
      case ROOM_WEBHOOK -> room(follower.topic(), text);
      case RAW -> raw(follower.topic(), text);
      case LIGHT -> light(follower.topic(), text);
    };
  }

  private static Reading atom(Topic topic, String text) {
    Collector found = new Collector(topic);
    if (!text.stripTrailing().endsWith("</feed>")) {
      found.fault(Rule.PHANTOM, "a document that ends in its middle");
    }
    Matcher entries = ATOM_ENTRY.matcher(text);
    while (entries.find()) {
      Matcher id = ATOM_ID.matcher(entries.group());
      Matcher title = ATOM_TITLE.matcher(entries.group());
      // A feed that joins a list has a URL for its id.
      boolean named = id.find();
      if (named || topic.way() != Topic.Way.LIST) {
        found.add(named ? id.group(1) : "", title.find() ? title.group(1) : "");
      }
    }
    return found.end();
  }

  private static Reading json(Follower follower, String text) {
    Collector found = new Collector(follower.topic());
    try {
      for (JsonNode item : JSON.readTree(text).path("items")) {
        String title = item.path("title").asText();
        if (isOfList(follower.topic(), item.path("id").asText())) {
          continue;
        }
        // The id of an entry of a part is the gateway's own.
        boolean named = !follower.topic().way().isPart();
        found.add(named ? item.path("id").asText() : title.replaceFirst("^Title of ", ""), title);
        if (follower.kind().isSeldom() && item.has("permalinkUrl")) {
          found.fault(Rule.PHANTOM, "members that are not wanted: " + item);
        }
      }
    } catch (JsonProcessingException e) {
      found.fault(Rule.PHANTOM, "a document that is no JSON");
    }
    return found.end();
  }

  /** A feed that joins a list or leaves it. */
  private static boolean isOfList(Topic topic, String id) {
    return topic.way() == Topic.Way.LIST && id.startsWith("http");
  }

  /** A notice has the titles of its entries as lines, the oldest first. */
  private static Reading room(Topic topic, String text) {
    Collector found = new Collector(topic);
    try {
      JSON.readTree(text)
          .path("body")
          .asText()
          .lines()
          .filter(line -> line.startsWith(TITLE))
          .forEach(title -> found.add(title.substring(TITLE.length()), title));
    } catch (JsonProcessingException e) {
      found.fault(Rule.PHANTOM, "a message that is no JSON");
    }
    return found.end();
  }

  private static Reading raw(Topic topic, String text) {
    Collector found = new Collector(topic);
    if (topic.way().isPart()) {
      Matcher part = (topic.way() == Topic.Way.PAGE ? PAGE_PART : DATA_PART).matcher(text);
      if (part.matches()) {
        found.add(part.group(1), TITLE + part.group(1));
      }
      return found.end();
    }
    Matcher items = RSS_ITEM.matcher(text);
    while (items.find()) {
      found.add(items.group(1), items.group(2));
    }
    return found.end();
  }

  private static Reading light(Topic topic, String text) {
    boolean right = text.equals(Http.encode("url", topic.url()));
    return new Reading(List.of(), right ? null : new Fault(Rule.CROSSING, text));
  }

  private static final class Collector {
    private final Topic topic;
    private final List<Integer> entries = new ArrayList<>();
    private @Nullable Fault wrong;

    Collector(Topic topic) {
      this.topic = topic;
    }

    void fault(Rule rule, String what) {
      wrong = wrong == null ? new Fault(rule, what) : wrong;
    }

    void add(String id, String title) {
      if (!title.equals(TITLE + id)) {
        fault(Rule.PHANTOM, "the title of " + id + " is: " + title);
      }
      if (id.startsWith(topic.name() + "-")) {
        entries.add(Integer.parseInt(id.substring(topic.name().length() + 1)));
      } else {
        fault(Rule.CROSSING, "an entry " + id);
      }
    }

    Reading end() {
      // Feeds that join a list or leave it are told of by themselves.
      if (entries.isEmpty() && topic.way() != Topic.Way.LIST) {
        fault(Rule.PHANTOM, "a document without entries");
      }
      return new Reading(List.copyOf(entries), wrong);
    }
  }
}
