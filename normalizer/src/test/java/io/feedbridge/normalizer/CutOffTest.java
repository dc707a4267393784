package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** No part of an entry is lost when a document breaks off. */
class CutOffTest {
  private static final int STEP = 50;

  /** Places in one document at which the build cuts it. */
  private static final int CUTS = 10;

  private final DiffParser parser = new DiffParser();

  private static byte[] bytes(String document) {
    return document.getBytes(StandardCharsets.UTF_8);
  }

  private FeedDiff parse(byte[] document, Memory memory) throws FeedParseException {
    FeedDiff found = parser.parse(document, Served.at(Corpus.BASE, null), memory);
    memory.take(found.diff());
    return found;
  }

  @Test
  void an_entry_that_the_end_may_have_cut_is_provisional_and_not_remembered()
      throws FeedParseException {
    Memory memory = new Memory();
    String whole =
        Fixtures.channel(
            "<item><guid>1</guid><title>a</title></item><item><guid>2</guid><title>b</title>"
                + "<description>text</description></item>");
    FeedDiff first = parse(bytes(whole.substring(0, whole.indexOf("text") + 2)), memory);

    assertThat(first.diff().fresh()).extracting(Entry::id).containsExactly("1");
    CutOff cut = Objects.requireNonNull(first.cut());
    assertThat(Objects.requireNonNull(cut.entry()).id()).isEqualTo("2");
    assertThat(cut.seen()).isNotNull();
    assertThat(memory.entries).containsOnlyKeys("1");

    FeedDiff then = parse(bytes(whole), memory);
    assertThat(then.cut()).isNull();
    assertThat(then.diff().fresh()).extracting(Entry::id).containsExactly("2");
  }

  @Test
  void an_entry_taken_for_whole_is_news_again_when_there_is_more_of_it() throws FeedParseException {
    Memory memory = new Memory();
    String whole =
        Fixtures.channel(
            "<item><guid>1</guid><title>b</title><description>text</description></item>");
    String part = whole.substring(0, whole.indexOf("text") + 2);
    FeedDiff first = parse(bytes(part), memory);
    memory.take(Objects.requireNonNull(first.cut()).with(first.diff()));

    assertThat(Objects.requireNonNull(parse(bytes(part), memory).cut()).seen()).isNull();
    assertThat(parse(bytes(whole), memory).diff().fresh())
        .extracting(Entry::id)
        .containsExactly("1");
    assertThat(parse(bytes(whole), memory).diff().isEmpty()).isTrue();
  }

  @Test
  void an_entry_taken_for_whole_that_was_whole_is_no_news() throws FeedParseException {
    Memory memory = new Memory();
    String whole = Fixtures.channel("<item><guid>1</guid><title>b</title></item>");
    FeedDiff first = parse(bytes(whole.substring(0, whole.indexOf("</item>"))), memory);
    memory.take(Objects.requireNonNull(first.cut()).with(first.diff()));

    assertThat(parse(bytes(whole), memory).diff().isEmpty()).isTrue();
    FeedDiff edited = parse(bytes(whole.replace(">b<", ">c<")), memory);
    assertThat(edited.diff().fresh()).isEmpty();
    assertThat(edited.diff().changed()).hasSize(1);
  }

  @Test
  void a_known_entry_that_the_end_cuts_has_not_changed() throws FeedParseException {
    Memory memory = new Memory();
    String whole =
        Fixtures.channel(
            "<item><guid>1</guid><title>b</title><description>text</description></item>");
    parse(bytes(whole), memory);

    FeedDiff cut = parse(bytes(whole.substring(0, whole.indexOf("text") + 2)), memory);

    assertThat(cut.diff().isEmpty()).isTrue();
    assertThat(Objects.requireNonNull(cut.cut()).seen()).as("is never taken for whole").isNull();
    assertThat(parse(bytes(whole), memory).diff().isEmpty()).isTrue();
  }

  @Test
  void a_document_cut_anywhere_and_then_whole_brings_the_entries_of_the_whole_one() {
    List<String> lost = new ArrayList<>();
    for (Corpus.Document document : Corpus.withFixtures()) {
      int step = Math.max(STEP, document.bytes().length / Samples.of(CUTS));
      for (int end = step; end < document.bytes().length; end += step) {
        problem(document, end, lost);
      }
    }
    assertThat(lost).isEmpty();
  }

  private void problem(Corpus.Document document, int end, List<String> lost) {
    Memory memory = new Memory();
    Map<String, String> sent = new LinkedHashMap<>();
    try {
      send(parse(Arrays.copyOf(document.bytes(), end), memory), sent);
    } catch (FeedParseException nothingIsSent) {
      // The whole document brings all entries.
    }
    try {
      send(parse(document.bytes(), memory), sent);
      Memory other = new Memory();
      Map<String, String> wanted = new LinkedHashMap<>();
      send(parse(document.bytes(), other), wanted);
      wanted.forEach(
          (id, print) -> {
            if (!print.equals(sent.get(id))) {
              lost.add(document + " cut at " + end + ": " + id);
            }
          });
    } catch (FeedParseException e) {
      throw new IllegalStateException(document.toString(), e);
    }
  }

  /** Sends the entries that every reader gets. */
  private static void send(FeedDiff found, Map<String, String> sent) {
    found.diff().fresh().forEach(entry -> sent.put(entry.id(), Fingerprint.of(entry)));
  }
}
