package io.feedbridge.gateway.search.query;

import java.lang.Character.UnicodeScript;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Words of any script: runs of letters and digits without case, width and accents. Scripts that
 * write no spaces, and Hangul, whose words have endings, are cut into pairs of characters that
 * overlap, so that each part of two characters or more is found.
 */
public final class Words {

  /** Characters of a word; the rest is cut off, in entries and in queries. */
  public static final int MAX_LENGTH = 64;

  private static final Set<UnicodeScript> IN_PAIRS =
      Set.of(
          UnicodeScript.HAN,
          UnicodeScript.HIRAGANA,
          UnicodeScript.KATAKANA,
          UnicodeScript.HANGUL,
          UnicodeScript.BOPOMOFO,
          UnicodeScript.THAI,
          UnicodeScript.LAO,
          UnicodeScript.KHMER,
          UnicodeScript.MYANMAR);

  /** The mark that makes a vowel of Katakana long; it is of no script. */
  private static final int LONG_VOWEL = 0x30FC;

  private static final int FIRST_ACCENT = 0x300;
  private static final int LAST_ACCENT = 0x36F;
  private static final int ASCII = 0x80;

  private final List<String> found = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();

  /** Characters in {@link #word}. */
  private int length;

  private boolean pairs;

  private Words() {}

  /** The words of a text, in order. */
  public static List<String> of(String text) {
    if (isAscii(text)) {
      return ofAscii(text.toLowerCase(Locale.ROOT));
    }
    Words words = new Words();
    folded(text).codePoints().forEach(words::next);
    words.end();
    return words.found;
  }

  /** Most texts: no word is put together from its characters. */
  private static List<String> ofAscii(String text) {
    List<String> found = new ArrayList<>();
    int from = 0;
    for (int i = 0; i <= text.length(); i++) {
      if (i == text.length() || !Character.isLetterOrDigit(text.charAt(i))) {
        if (i > from) {
          found.add(text.substring(from, Math.min(i, from + MAX_LENGTH)));
        }
        from = i + 1;
      }
    }
    return found;
  }

  private static String folded(String text) {
    String apart = Normalizer.normalize(text, Normalizer.Form.NFKD).toLowerCase(Locale.ROOT);
    StringBuilder plain = new StringBuilder(apart.length());
    for (int i = 0; i < apart.length(); i++) {
      char character = apart.charAt(i);
      if (character < FIRST_ACCENT || character > LAST_ACCENT) {
        plain.append(character);
      }
    }
    return Normalizer.normalize(plain, Normalizer.Form.NFC);
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= ASCII) {
        return false;
      }
    }
    return true;
  }

  /** Whether a character is of a script that is cut into pairs. */
  static boolean isInPairs(int character) {
    return character >= ASCII
        && (character == LONG_VOWEL || IN_PAIRS.contains(UnicodeScript.of(character)));
  }

  private static boolean isOfWord(int character) {
    if (character < ASCII) {
      return Character.isLetterOrDigit(character);
    }
    return switch (Character.getType(character)) {
      case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK -> true;
      default -> Character.isLetterOrDigit(character);
    };
  }

  private void next(int character) {
    if (!isOfWord(character)) {
      end();
      return;
    }
    // A mark belongs to the word before it, whatever its script is.
    boolean mark = !Character.isLetterOrDigit(character) && length > 0;
    boolean inPairs = mark ? pairs : isInPairs(character);
    if (length > 0 && inPairs != pairs) {
      end();
    }
    pairs = inPairs;
    word.appendCodePoint(character);
    length++;
  }

  private void end() {
    if (length == 0) {
      return;
    }
    String whole = word.toString();
    if (!pairs) {
      int most = Math.min(length, MAX_LENGTH);
      found.add(whole.substring(0, whole.offsetByCodePoints(0, most)));
    } else if (length == 1) {
      found.add(whole);
    } else {
      int from = 0;
      for (int i = 0; i + 1 < length; i++) {
        found.add(whole.substring(from, whole.offsetByCodePoints(from, 2)));
        from = whole.offsetByCodePoints(from, 1);
      }
    }
    word.setLength(0);
    length = 0;
  }
}
