package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.opml.BadOpmlException;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.publish.ListDocuments;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.PublishedList;
import io.feedbridge.gateway.store.PublishedList.Item;
import io.feedbridge.gateway.store.feeds.ListedFeeds;
import io.feedbridge.gateway.store.sql.Lists.Member;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.api.model.ListView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.JsonBody;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code /api/v1/lists}: the lists of feeds that the gateway publishes; and the feeds of a list
 * that it follows.
 */
final class ListsApi {

  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int MAX_TITLE = 500;
  private static final String POSITION = "list:";

  private final Store store;
  private final ListDocuments documents;
  private final Clock clock;

  ListsApi(Store store, ListDocuments documents, Clock clock) {
    this.store = store;
    this.documents = documents;
    this.clock = clock;
  }

  /** A feed of a list, as a request names it. */
  record Feed(@Nullable String url, @Nullable String title) {}

  /** The request for a list; without a title it keeps the one that it has. */
  record Put(@Nullable String title, @Nullable List<@Nullable Feed> feeds) {}

  /** The request for a change of a list. */
  record Patch(
      @Nullable String title,
      @Nullable List<@Nullable Feed> add,
      @Nullable List<@Nullable String> remove) {}

  private ListView view(PublishedList list, boolean whole) {
    return new ListView(
        list.name(),
        documents.url(list.name()),
        list.title(),
        list.feeds().size(),
        list.changedAt(),
        whole ? list.feeds() : null);
  }

  private static ListView.Member view(Member member) {
    Long feed = member.feedId();
    return new ListView.Member(
        member.url(),
        member.title(),
        member.included() ? "list" : "feed",
        feed == null ? null : Long.toString(feed),
        member.refused());
  }

  /** {@code GET /feeds/{id}/members}. */
  Response members(Request request) {
    Page page = Page.of(request);
    long skip = page.skipped(request).orElseGet(() -> ItemId.behind(page));
    return ItemId.in(request)
        .filter(id -> store.feeds().byId(id).isPresent())
        .map(id -> store.lists().members(id, skip, page.limit() + 1))
        .map(
            found ->
                Answers.json(
                    OK, page.items(found, ListsApi::view, last -> Page.after(skip + page.limit()))))
        .orElseGet(() -> Answers.problem(NOT_FOUND, "there is no such feed"));
  }

  /** {@code GET /lists}. */
  Response list(Request request) {
    Page page = Page.of(request);
    String after = page.position().map(ListsApi::behind).orElse("");
    List<PublishedList> found = store.publishedLists().list(after, page.limit() + 1);
    return Answers.json(
        OK, page.items(found, one -> view(one, false), one -> POSITION + one.name()));
  }

  /** {@code GET /lists/{name}}. */
  Response get(Request request) {
    return store
        .publishedLists()
        .byName(name(request))
        .map(list -> Answers.json(OK, view(list, true)))
        .orElseGet(ListsApi::unknown);
  }

  /** {@code PUT /lists/{name}}: JSON, or OPML. */
  Response put(Request request) {
    String name = name(request);
    if (!ListDocuments.isName(name)) {
      throw new BadFieldException("name", "a name of up to 64 letters, digits, - and _ is needed");
    }
    Put asked = isOpml(request) ? opml(request) : JsonBody.read(request, Put.class);
    String title = title(asked.title);
    List<Item> feeds = feeds("feeds", asked.feeds);
    boolean known = store.publishedLists().byName(name).isPresent();
    return documents
        .change(
            name,
            before ->
                Optional.of(
                    new PublishedList(
                        name,
                        title == null ? before.map(PublishedList::title).orElse(name) : title,
                        feeds,
                        clock.instant())))
        .join()
        .map(
            list ->
                Answers.json(known ? OK : CREATED, view(list, true))
                    .withHeader("Location", Api.BASE + "/lists/" + name))
        .orElseGet(
            () ->
                Answers.problem(
                    CONFLICT,
                    "there are %,d lists, which is the maximum".formatted(PublishedList.MAX)));
  }

  /** {@code PATCH /lists/{name}}. */
  Response change(Request request) {
    String name = name(request);
    Patch asked = JsonBody.read(request, Patch.class);
    String title = title(asked.title);
    List<Item> added = asked.add == null ? List.of() : feeds("add", asked.add);
    List<String> removed =
        asked.remove == null
            ? List.of()
            : asked.remove.stream()
                .map(url -> TopicField.normalized("remove", String.valueOf(url)))
                .toList();
    Optional<PublishedList> after =
        documents
            .change(
                name,
                before ->
                    before
                        .map(list -> changed(list, title, added, removed))
                        .filter(list -> list.feeds().size() <= ListedFeeds.MAX))
            .join();
    // A list that would have too many is left as it is.
    if (after.isPresent() && !after.get().feeds().containsAll(added)) {
      throw tooMany("add");
    }
    return after.map(list -> Answers.json(OK, view(list, true))).orElseGet(ListsApi::unknown);
  }

  private PublishedList changed(
      PublishedList list, @Nullable String title, List<Item> added, List<String> removed) {
    Map<String, Item> feeds = new LinkedHashMap<>();
    list.feeds().forEach(feed -> feeds.put(feed.url(), feed));
    feeds.keySet().removeAll(removed);
    added.forEach(feed -> feeds.put(feed.url(), feed));
    return new PublishedList(
        list.name(),
        title == null ? list.title() : title,
        List.copyOf(feeds.values()),
        clock.instant());
  }

  /** {@code DELETE /lists/{name}}. */
  Response delete(Request request) {
    return store.publishedLists().remove(name(request)).join() ? Response.noContent() : unknown();
  }

  private static String behind(String position) {
    String name = position.startsWith(POSITION) ? position.substring(POSITION.length()) : "";
    if (!ListDocuments.isName(name)) {
      throw Page.badCursor();
    }
    return name;
  }

  private static Response unknown() {
    return Answers.problem(NOT_FOUND, "there is no such list");
  }

  private static String name(Request request) {
    return request.pathVariables().getOrDefault("name", "");
  }

  private static boolean isOpml(Request request) {
    String type = request.header("Content-Type").orElse("").toLowerCase(Locale.ROOT);
    return type.contains("opml") || type.contains("xml");
  }

  /** A list whose document names no title keeps the one that it has. */
  private static Put opml(Request request) {
    try {
      return new Put(
          null,
          Opml.read(request.body()).stream()
              .filter(Outline::namesFeed)
              .map(outline -> new Feed(outline.url(), outline.title()))
              .toList());
    } catch (BadOpmlException e) {
      throw new BadFieldException("body", String.valueOf(e.getMessage()));
    }
  }

  private static @Nullable String title(@Nullable String given) {
    if (given != null && (given.isBlank() || given.length() > MAX_TITLE)) {
      throw new BadFieldException("title", "1 to %d characters are needed".formatted(MAX_TITLE));
    }
    return given;
  }

  private static List<Item> feeds(String field, @Nullable List<@Nullable Feed> given) {
    if (given == null) {
      throw new BadFieldException(field, "it is missing");
    }
    Map<String, Item> feeds = new LinkedHashMap<>();
    for (Feed feed : given) {
      if (feed == null || feed.url == null) {
        throw new BadFieldException(field, "a feed without url");
      }
      String url = TopicField.normalized(field, feed.url);
      String title = feed.title == null || feed.title.isBlank() ? null : feed.title;
      if (title != null && title.length() > MAX_TITLE) {
        throw new BadFieldException(
            field, "the title of %s has more than %d characters".formatted(url, MAX_TITLE));
      }
      feeds.putIfAbsent(url, new Item(url, title));
    }
    if (feeds.size() > ListedFeeds.MAX) {
      throw tooMany(field);
    }
    return List.copyOf(feeds.values());
  }

  private static BadFieldException tooMany(String field) {
    return new BadFieldException(field, "a list has at most %,d feeds".formatted(ListedFeeds.MAX));
  }
}
