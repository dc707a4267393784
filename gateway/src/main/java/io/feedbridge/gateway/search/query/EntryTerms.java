package io.feedbridge.gateway.search.query;

import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Link;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/** Finds the terms of an entry: the words of its text as a reader sees them, and its labels. */
public final class EntryTerms {

  /** Characters of markup that are read of one entry. */
  public static final int MAX_TEXT = 64 * 1_024;

  /** Words of one entry. */
  public static final int MAX_WORDS = 10_000;

  /** Links of one entry. */
  public static final int MAX_LINKS = 100;

  /** Categories, and authors, of one entry that are labels. */
  public static final int MAX_NAMES = 50;

  private static final Pattern COUNTED = Pattern.compile("(?<=[?&])utm_[^&#]*&?");
  private static final Pattern NO_QUERY = Pattern.compile("[?&](?=#|$)");

  private final List<String> words = new ArrayList<>();
  private final Set<String> labels = new HashSet<>();
  private int left = MAX_TEXT;
  private int links;

  private EntryTerms() {}

  /**
   * The terms of an entry.
   *
   * @param topic of its feed, whose host is one of its sites
   * @param language of its feed; an entry may have its own
   */
  public static Terms of(Entry entry, String topic, @Nullable String language) {
    EntryTerms terms = new EntryTerms();
    terms.text(entry.title());
    entry.categories().forEach(terms::text);
    entry.authors().stream().map(Author::name).forEach(terms::text);
    terms.content(entry.summary());
    terms.content(entry.content());
    terms.labels.addAll(Labels.host(topic).map(Labels::sites).orElse(List.of()));
    String permalink = entry.permalink();
    if (permalink != null) {
      terms.labels.addAll(Labels.host(permalink).map(Labels::sites).orElse(List.of()));
    }
    entry.links().stream().map(Link::href).forEach(terms::link);
    entry.categories().stream().limit(MAX_NAMES).map(Labels::category).forEach(terms.labels::add);
    entry.authors().stream().limit(MAX_NAMES).map(Labels::authors).forEach(terms.labels::addAll);
    String tongue = entry.language() == null ? language : entry.language();
    if (tongue != null && !tongue.isBlank()) {
      terms.labels.add(Labels.language(tongue));
    }
    return Terms.of(terms.words, terms.labels);
  }

  /**
   * The page of an entry: the same for each way to write its URL, without the parameters by which
   * publishers count their visitors. Empty for an entry without a link.
   */
  public static Optional<String> page(Entry entry) {
    return Optional.ofNullable(entry.permalink())
        .map(url -> COUNTED.matcher(url).replaceAll(""))
        .map(url -> Labels.link(NO_QUERY.matcher(url).replaceFirst("")));
  }

  private void link(String url) {
    if (links++ < MAX_LINKS) {
      labels.addAll(Labels.links(url));
    }
  }

  private void content(@Nullable Content content) {
    String text = content == null ? null : content.absolute();
    if (text == null || text.isEmpty() || left <= 0) {
      return;
    }
    if (text.indexOf('<') < 0 && text.indexOf('&') < 0) {
      text(text);
      return;
    }
    Document document = Jsoup.parse(text.length() > left ? text.substring(0, left) : text);
    for (Element link : document.select("a[href]")) {
      link(link.attr("href"));
    }
    left -= text.length() - 1;
    words(document.text());
  }

  private void text(@Nullable String text) {
    if (text != null && left > 0) {
      String kept = text.length() > left ? text.substring(0, left) : text;
      left -= kept.length();
      words(kept);
    }
  }

  private void words(String text) {
    for (String word : Words.of(text)) {
      if (words.size() >= MAX_WORDS) {
        return;
      }
      words.add(word);
      if (Words.isInPairs(word.codePointAt(0))) {
        word.codePoints().forEach(character -> labels.add(Labels.character(character)));
      }
    }
    words.add(Terms.BREAK);
  }
}
