package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.ingest.fetch.LocalTopics;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.store.PublishedList;
import io.feedbridge.gateway.store.sql.PublishedLists;
import io.feedbridge.gateway.work.Via;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Lists of feeds that the gateway publishes, {@code /lists/{name}.opml}, with its own hub and
 * cloud: a change of a list is a ping. Safe for use by several threads.
 */
public final class ListDocuments implements LocalTopics {

  /** The content type that they are served with. */
  public static final String CONTENT_TYPE = "text/x-opml; charset=utf-8";

  /** A name that can stand in a path as it is. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");

  private static final String PREFIX = "/lists/";
  private static final String SUFFIX = ".opml";

  private final PublishedLists lists;
  private final Intake intake;
  private final URI publicUrl;

  public ListDocuments(PublishedLists lists, Intake intake, URI publicUrl) {
    this.lists = lists;
    this.intake = intake;
    this.publicUrl = publicUrl;
  }

  /** Whether a list may have this name. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /** The URL of a list. */
  public String url(String name) {
    return publicUrl + PREFIX + name + SUFFIX;
  }

  /** The links of a list, for the {@code Link} header field (WebSub §4). */
  public List<String> links(String name) {
    return List.of(
        "<%s/hub>; rel=\"hub\"".formatted(publicUrl), "<%s>; rel=\"self\"".formatted(url(name)));
  }

  /**
   * Makes a list or changes it.
   *
   * @param change of the list as it is, which is absent where there is none; empty for no change
   * @return completes once the list and the work to tell its subscribers are durable; empty where
   *     there are too many lists
   */
  public CompletableFuture<Optional<PublishedList>> change(
      String name, Function<Optional<PublishedList>, Optional<PublishedList>> change) {
    return lists
        .change(name, change)
        .thenCompose(changed -> intake.ping(url(name), Via.PING).thenApply(pinged -> changed));
  }

  /** The list under a file's name, as it is served; empty if there is none. Blocks. */
  public Optional<PublishedList> file(String file) {
    String name = file.endsWith(SUFFIX) ? file.substring(0, file.length() - SUFFIX.length()) : "";
    return isName(name) ? lists.byName(name) : Optional.empty();
  }

  /** A list as a document, with the cloud of the gateway. */
  public byte[] document(PublishedList list) {
    List<Outline> outlines =
        list.feeds().stream()
            .map(feed -> new Outline(feed.url(), feed.title() == null ? "" : feed.title()))
            .toList();
    return Opml.write(list.title(), outlines, publicUrl + "/pleaseNotify");
  }

  @Override
  public Optional<Document> find(String url) {
    String prefix = publicUrl + PREFIX;
    return url.startsWith(prefix)
        ? file(url.substring(prefix.length()))
            .map(list -> new Document(CONTENT_TYPE, document(list)))
        : Optional.empty();
  }
}
