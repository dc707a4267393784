package io.feedbridge.gateway.webhook;

import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An entry as filters look at it; the texts for the search are prepared once. For one thread. */
final class FilteredEntry {

  /** Markup is no text: a keyword is not found in the name of an element or in a link. */
  private static final Pattern TAG = Pattern.compile("<[^<>]*+>");

  private final Entry entry;
  private final List<Author> authors;
  private @Nullable List<String> texts;

  FilteredEntry(Entry entry, List<Author> ofFeed) {
    this.entry = entry;
    authors = entry.authorsWithin(ofFeed);
  }

  boolean hasKeyword(String words) {
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

  boolean hasCategory(String name) {
    return entry.categories().stream().anyMatch(name::equalsIgnoreCase);
  }

  boolean hasLanguage(String tag) {
    String language = entry.language();
    return language != null
        && (language.equalsIgnoreCase(tag) || lower(language).startsWith(lower(tag) + "-"));
  }

  boolean hasAuthor(String who) {
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
