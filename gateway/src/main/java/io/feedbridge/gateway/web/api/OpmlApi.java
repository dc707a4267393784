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
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.gateway.web.api.model.ImportReport;
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

  /** {@code POST /import}: follows all of its feeds, even with no subscriber. */
  Response importList(Request request) {
    List<Outline> outlines;
    try {
      outlines = Opml.read(request.body());
    } catch (BadOpmlException e) {
      return Answers.problem(BAD_REQUEST, String.valueOf(e.getMessage()));
    }
    Map<String, Outline> topics = new LinkedHashMap<>();
    List<ImportReport.Item> items = new ArrayList<>();
    for (Outline outline : outlines) {
      items.add(judged(outline, topics));
    }
    Set<String> begun = keep(List.copyOf(topics.keySet()));
    items.replaceAll(
        item ->
            item.result() == ImportReport.Result.KNOWN && begun.contains(item.topic())
                ? item.with(ImportReport.Result.FOLLOWED)
                : item);
    return Answers.json(OK, ImportReport.of(items));
  }

  /** A line whose feed can be followed counts as known for now, and joins the topics. */
  private ImportReport.Item judged(Outline outline, Map<String, Outline> topics) {
    if (!outline.namesFeed()) {
      return ImportReport.Item.of(
          outline, null, ImportReport.Result.BAD, "it has no xmlUrl, the URL of a feed");
    }
    String topic;
    try {
      topic = TopicField.of("xmlUrl", outline.url(), bridges);
    } catch (BadFieldException e) {
      return ImportReport.Item.of(outline, null, ImportReport.Result.BAD, e.error().detail());
    }
    Optional<String> refusal = policies.operatorRefusal(topic);
    if (refusal.isPresent()) {
      return ImportReport.Item.of(outline, topic, ImportReport.Result.FORBIDDEN, refusal.get());
    }
    Outline earlier = topics.putIfAbsent(topic, outline);
    return earlier == null
        ? ImportReport.Item.of(outline, topic, ImportReport.Result.KNOWN, null)
        : ImportReport.Item.of(
            outline,
            topic,
            ImportReport.Result.DUPLICATE,
            "line %d has the same feed".formatted(earlier.line()));
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
        if (GatewayTopic.is(feed.topic())) {
          continue;
        }
        String title = feed.fetched().title();
        outlines.add(new Outline(feed.topic(), title == null ? "" : title));
      }
      after = page.get(page.size() - 1).id();
      page = feeds.followed(after, AT_ONCE);
    }
    return opml("Feeds followed by Feedbridge", bridged ? lists.of(outlines, kind) : outlines);
  }
}
