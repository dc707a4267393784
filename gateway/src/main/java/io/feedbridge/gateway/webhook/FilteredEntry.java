package io.feedbridge.gateway.webhook;

import io.feedbridge.gateway.search.query.EntryTerms;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An entry as a filter looks at it; its texts are prepared once. For one thread. */
final class FilteredEntry {

  /** Markup is no text: a keyword is not found in the name of an element or in a link. */
  private static final Pattern TAG = Pattern.compile("<[^<>]*+>");

  private final Entry entry;
  private final List<Author> authors;
  private final String topic;
  private @Nullable List<String> texts;
  private @Nullable Set<String> labels;

  FilteredEntry(Entry entry, List<Author> ofFeed, String topic) {
    this.entry = entry;
    this.topic = topic;
    authors = entry.authorsWithin(ofFeed);
  }

  boolean passes(Query query) {
    return query.holds(
        leaf ->
            leaf instanceof Query.Phrase phrase
                ? hasKeyword(phrase.text())
                : has((Query.Label) leaf));
  }

  private boolean has(Query.Label label) {
    return switch (label.field()) {
      case CATEGORY -> hasCategory(label.text());
      case LANGUAGE -> hasLanguage(label.text());
      case AUTHOR -> hasAuthor(label.text());
      case CHARACTER -> hasKeyword(label.text());
      case SITE, LINK -> labels().contains(label.label());
    };
  }

  /** The sites and links of an entry are found by reading all of its markup. */
  private Set<String> labels() {
    if (labels == null) {
      labels = EntryTerms.of(entry, topic, null).labels();
    }
    return labels;
  }

  private boolean hasKeyword(String words) {
    String wanted = lower(words);
    return texts().stream().anyMatch(text -> hasWords(text, wanted));
  }

  private List<String> texts() {
    if (texts == null) {
      texts = new ArrayList<>();
      add(texts, entry.title());
      add(texts, entry.summary());
      add(texts, entry.content());
    }
    return texts;
  }

  private static void add(List<String> texts, @Nullable Content content) {
    String text = content == null ? null : content.asText();
    if (text != null) {
      add(texts, TAG.matcher(text).replaceAll(" "));
    }
  }

  private static void add(List<String> texts, @Nullable String text) {
    if (text != null) {
      texts.add(lower(text));
    }
  }

  private boolean hasCategory(String name) {
    return entry.categories().stream().anyMatch(name::equalsIgnoreCase);
  }

  private boolean hasLanguage(String tag) {
    String language = entry.language();
    return language != null
        && (language.equalsIgnoreCase(tag) || lower(language).startsWith(lower(tag) + "-"));
  }

  private boolean hasAuthor(String who) {
    return authors.stream().anyMatch(author -> isNamed(author, who));
  }

  private static boolean isNamed(Author author, String who) {
    String name = author.name();
    return (name != null && hasWords(lower(name), lower(who)))
        || who.equalsIgnoreCase(author.email())
        || who.equalsIgnoreCase(author.uri());
  }

  /** Whether the words stand there with no letter or digit right before or after them. */
  private static boolean hasWords(String text, String wanted) {
    for (int at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      int end = at + wanted.length();
      boolean begins = at == 0 || !joins(wanted.codePointAt(0), text.codePointBefore(at));
      boolean ends =
          end == text.length()
              || !joins(wanted.codePointBefore(wanted.length()), text.codePointAt(end));
      if (begins && ends) {
        return true;
      }
    }
    return false;
  }

  /** Scripts that put no space between words have no borders to look for. */
  private static boolean joins(int inside, int outside) {
    return Character.isLetterOrDigit(inside)
        && Character.isLetterOrDigit(outside)
        && !Character.isIdeographic(inside)
        && !Character.isIdeographic(outside);
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
