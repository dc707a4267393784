package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.opml.BadOpmlException;
import io.feedbridge.gateway.opml.BridgedList;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/import} and {@code /api/v1/export}: lists of feeds as OPML. */
final class OpmlApi {

  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int AT_ONCE = 500;
  private static final String OPML = "text/x-opml; charset=utf-8";

  private final Feeds feeds;
  private final BridgedUrls bridges;
  private final Policies policies;
  private final Clock clock;
  private final BridgedList lists;

  OpmlApi(Feeds feeds, BridgedUrls bridges, Policies policies, Clock clock) {
    this.policies = policies;
    this.feeds = feeds;
    this.bridges = bridges;
    this.clock = clock;
    lists = new BridgedList(bridges, policies);
  }

  /**
   * The result for one feed of a list.
   *
   * @param topic as it is followed
   * @param result followed, known (it was followed before) or refused
   * @param line of the list in which its outline ends
   */
  record Item(
      String url,
      String title,
      @Nullable String topic,
      String result,
      @Nullable String reason,
      int line) {

    static Item of(Outline outline, @Nullable String topic, String result, @Nullable String why) {
      return new Item(outline.url(), outline.title(), topic, result, why, outline.line());
    }
  }

  /** The result for a whole list. */
  record Report(int followed, int known, int refused, List<Item> items) {}

  /** {@code POST /import}: follows all of its feeds, even with no subscriber. */
  Response importList(Request request) {
    List<Outline> outlines;
    try {
      outlines = Opml.read(request.body());
    } catch (BadOpmlException e) {
      return Answers.problem(BAD_REQUEST, String.valueOf(e.getMessage()));
    }
    Map<Outline, String> topics = new LinkedHashMap<>();
    List<Item> items = new ArrayList<>();
    for (Outline outline : outlines) {
      try {
        String topic = TopicField.of("xmlUrl", outline.url(), bridges);
        Optional<String> refusal = policies.operatorRefusal(topic);
        if (refusal.isPresent()) {
          items.add(Item.of(outline, topic, "refused", refusal.get()));
        } else {
          topics.put(outline, topic);
        }
      } catch (BadFieldException e) {
        items.add(Item.of(outline, null, "refused", e.error().detail()));
      }
    }
    int refused = items.size();
    Set<String> begun = keep(List.copyOf(new LinkedHashSet<>(topics.values())));
    int followed = begun.size();
    topics.forEach(
        (outline, topic) ->
            items.add(Item.of(outline, topic, begun.remove(topic) ? "followed" : "known", null)));
    return Answers.json(
        OK, new Report(followed, items.size() - followed - refused, refused, items));
  }

  private Set<String> keep(List<String> topics) {
    Set<String> begun = new LinkedHashSet<>();
    for (int from = 0; from < topics.size(); from += AT_ONCE) {
      List<String> some = topics.subList(from, Math.min(topics.size(), from + AT_ONCE));
      begun.addAll(feeds.keep(some, clock.instant()).join());
    }
    return begun;
  }

  /**
   * {@code POST /bridge?kind=}: follows the feeds of a list like {@link #importList}, and answers
   * the list with bridged feeds. A feed that cannot be followed keeps its own URL.
   */
  Response bridgeList(Request request) {
    BridgedUrl.Kind kind = kind(request);
    Response imported = importList(request);
    if (imported.status() != OK) {
      return imported;
    }
    try {
      List<Outline> outlines = Opml.read(request.body());
      return opml("Bridged feeds", lists.of(outlines, kind));
    } catch (BadOpmlException e) {
      throw new IllegalStateException("it was read before", e);
    }
  }

  private static BridgedUrl.Kind kind(Request request) {
    return BridgedList.kind(Page.parameter(request, "kind").orElse(""))
        .orElseThrow(() -> new BadFieldException("kind", "it must be " + BridgedList.KINDS));
  }

  private static Response opml(String title, List<Outline> outlines) {
    return Response.of(OK, OPML, Opml.write(title, outlines));
  }

  private static boolean bridged(Request request) {
    String text = Page.parameter(request, "bridged").orElse("false");
    if (!text.equals("true") && !text.equals("false")) {
      throw new BadFieldException("bridged", "it must be true or false");
    }
    return text.equals("true");
  }

  /**
   * {@code GET /export?bridged=&kind=}: every feed that is followed, by its own URL or as a bridged
   * feed.
   */
  Response exportList(Request request) {
    boolean bridged = bridged(request);
    BridgedUrl.Kind kind = kind(request);
    List<Outline> outlines = new ArrayList<>();
    long after = 0;
    List<FollowedFeed> page = feeds.followed(after, AT_ONCE);
    while (!page.isEmpty()) {
      for (FollowedFeed feed : page) {
        String title = feed.fetched().title();
        outlines.add(new Outline(feed.topic(), title == null ? "" : title));
      }
      after = page.get(page.size() - 1).id();
      page = feeds.followed(after, AT_ONCE);
    }
    return opml("Feeds followed by Feedbridge", bridged ? lists.of(outlines, kind) : outlines);
  }
}
