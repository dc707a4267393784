package io.feedbridge.normalizer;

import com.carrotsearch.labs.langid.DetectedLanguage;
import com.carrotsearch.labs.langid.LangIdV3;
import com.carrotsearch.labs.langid.Model;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells the language of entries that declare none from their title and text, where there is enough
 * of it and no doubt. It costs some microseconds an entry, and at the first one about a second and
 * 10 MB for the model. Thread-safe; threads wait for one another.
 */
public final class LanguageDetector {
  /** Languages that it tells apart; fewer than the model knows, so that names are no Latin. */
  private static final Set<String> LANGUAGES =
      Set.of(
          "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "gl",
          "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "ko", "lt", "lv", "mk", "nl",
          "no", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "ta", "te", "th", "tr", "uk",
          "ur", "vi", "zh");

  private static final Set<String> ARABIC_SCRIPT = Set.of("ar", "fa", "ur");

  /** Letters of Persian and Urdu that Arabic lacks. */
  private static final String NOT_ARABIC = "پچژگکیٹڈڑںے";

  private static final double CONFIDENCE = 0.99;

  /** Letters that are needed where other languages are written with the same ones. */
  private static final int LETTERS = 20;

  /** Letters that are needed where hardly any other language is. */
  private static final int LETTERS_OF_OWN_SCRIPT = 4;

  /** Characters of markup that are looked at, of the text in it, and of the words in that. */
  private static final int MAX_MARKUP = 4_000;

  private static final int MAX_TEXT = 800;

  /** Enough to tell; more of them only costs. */
  private static final int MAX_WORDS = 400;

  private @Nullable LangIdV3 classifier;

  /** The feed with a language for each entry that has none and whose language can be told. */
  public Feed complete(Feed feed) {
    return feed.entries().isEmpty() ? feed : feed.withEntries(complete(feed.entries()));
  }

  /** The entries, each with its language if that is declared or can be told. */
  public List<Entry> complete(List<Entry> entries) {
    List<Entry> completed = new ArrayList<>(entries.size());
    for (Entry entry : entries) {
      String language = entry.language() == null ? of(entry) : null;
      completed.add(language == null ? entry : entry.withLanguage(language));
    }
    return completed;
  }

  private @Nullable String of(Entry entry) {
    StringBuilder text = new StringBuilder();
    String title = entry.title();
    if (title != null) {
      text.append(title, 0, Math.min(title.length(), MAX_TEXT)).append('\n');
    }
    Content body = entry.content() == null ? entry.summary() : entry.content();
    text.append(plain(body));
    return of(text.toString());
  }

  private static String plain(@Nullable Content content) {
    String text = content == null ? null : content.asText();
    if (content == null || text == null) {
      return "";
    }
    if (content.type().equals(Content.TEXT)) {
      return start(text, MAX_TEXT);
    }
    return HtmlText.plain(start(text, MAX_MARKUP));
  }

  private static String start(String text, int length) {
    return text.substring(0, Math.min(text.length(), length));
  }

  /** The language of a text as a tag of BCP 47; null where there is too little of it, or doubt. */
  public @Nullable String of(String text) {
    String words = words(start(text, MAX_TEXT));
    if (!isEnough(words)) {
      return null;
    }
    Detected detected = classify(words);
    String language = detected.language();
    if (ARABIC_SCRIPT.contains(language)) {
      return arabicScript(words, language);
    }
    return detected.confidence() >= CONFIDENCE ? language : null;
  }

  /**
   * The words of a text: no addresses, no handles, no numbers, no punctuation. By hand, since a
   * pattern costs several times as much as the model.
   */
  private static String words(String text) {
    StringBuilder words = new StringBuilder(MAX_WORDS);
    int at = 0;
    while (at < text.length() && words.length() < MAX_WORDS) {
      int end = at;
      while (end < text.length() && !Character.isWhitespace(text.charAt(end))) {
        end++;
      }
      if (end > at && !isMailAddress(text, at, end)) {
        addWords(text, at, beforeUrl(text, at, end), words);
        words.append(' ');
      }
      at = end + 1;
    }
    words.setLength(Math.min(words.length(), MAX_WORDS));
    return words.toString().trim();
  }

  private static boolean isMailAddress(String text, int from, int to) {
    for (int at = from + 1; at < to; at++) {
      if (text.charAt(at) == '@') {
        return true;
      }
    }
    return false;
  }

  /** Where in this part a URL begins, with its scheme; else its end. */
  private static int beforeUrl(String text, int from, int to) {
    int start = from;
    while (start < to && !text.startsWith("://", start)) {
      start++;
    }
    while (start > from && start < to && Character.isLetter(text.charAt(start - 1))) {
      start--;
    }
    return start;
  }

  private static void addWords(String text, int from, int to, StringBuilder words) {
    boolean handle = false;
    int at = from;
    while (at < to) {
      int character = text.codePointAt(at);
      at += Character.charCount(character);
      if (character == '#' || character == '@') {
        handle = true;
      } else if (isOfWords(character)) {
        if (!handle) {
          words.appendCodePoint(character);
        }
      } else {
        handle &= character == '_' || Character.isDigit(character);
        words.append(' ');
      }
    }
  }

  private static boolean isOfWords(int character) {
    int type = Character.getType(character);
    return Character.isLetter(character)
        || type == Character.NON_SPACING_MARK
        || type == Character.COMBINING_SPACING_MARK;
  }

  /** The model takes one for the other, but every sentence of the others has letters of its own. */
  private static @Nullable String arabicScript(String words, String language) {
    if (words.chars().noneMatch(c -> NOT_ARABIC.indexOf(c) >= 0)) {
      return "ar";
    }
    return language.equals("ar") ? null : language;
  }

  private static boolean isEnough(String words) {
    int shared = 0;
    int own = 0;
    for (int i = 0; i < words.length(); i++) {
      if (Character.isLetter(words.charAt(i))) {
        Character.UnicodeScript script = Character.UnicodeScript.of(words.charAt(i));
        boolean many =
            script == Character.UnicodeScript.LATIN
                || script == Character.UnicodeScript.CYRILLIC
                || script == Character.UnicodeScript.ARABIC;
        shared += many ? 1 : 0;
        own += many ? 0 : 1;
        if (shared >= LETTERS || own >= LETTERS_OF_OWN_SCRIPT) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * The language that the model finds.
   *
   * @param confidence the language's share of the probability of all
   */
  private record Detected(String language, double confidence) {}

  /**
   * The share of the best language is computed here. The library computes it for every language
   * against every other one, which costs many times as much as the rest.
   */
  private synchronized Detected classify(String words) {
    if (classifier == null) {
      classifier = new LangIdV3(Model.detectOnly(LANGUAGES));
    }
    classifier.reset();
    classifier.append(words);
    String language = "";
    double best = Double.NEGATIVE_INFINITY;
    List<DetectedLanguage> all = classifier.rank(false);
    for (DetectedLanguage one : all) {
      if (one.getConfidence() > best) {
        best = one.getConfidence();
        language = one.getLangCode();
      }
    }
    double sum = 0;
    for (DetectedLanguage one : all) {
      sum += Math.exp(one.getConfidence() - best);
    }
    return new Detected(language, 1 / sum);
  }
}
