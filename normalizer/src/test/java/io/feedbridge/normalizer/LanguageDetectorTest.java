package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Languages that nobody declared. */
class LanguageDetectorTest {
  private static final LanguageDetector DETECTOR = new LanguageDetector();

  private static Entry completed(String elements) throws FeedParseException {
    return DETECTOR.complete(Fixtures.parse(Fixtures.item(elements))).entries().get(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "en | The ferry will not leave before noon because of the fog",
        "de | Wegen des Nebels legt die Fähre erst am Mittag ab",
        "fr | Le bateau ne partira pas avant midi à cause du brouillard",
        "es | El barco no saldrá antes del mediodía por culpa de la niebla",
        "it | Il traghetto non partirà prima di mezzogiorno a causa della nebbia",
        "pt | O barco não vai sair antes do meio-dia por causa do nevoeiro",
        "nl | De veerboot vertrekt vanwege de mist niet voor twaalf uur",
        "ru | Паром не отправится раньше полудня из-за тумана",
        "ja | 霧のためフェリーは正午まで出港しません",
        "zh | 由于有雾，渡轮中午之前不会开航",
        "ar | لن تغادر العبارة قبل الظهر بسبب الضباب",
        "fa | کشتی به دلیل مه پیش از ظهر حرکت نمی‌کند",
        "ar | وافق مجلس المدينة على الميزانية الجديدة يوم الثلاثاء",
        "sv | Färjan går inte före klockan tolv på grund av dimman",
        "pl | Prom nie odpłynie przed południem z powodu mgły",
        "ko | 안개 때문에 여객선은 정오 전에 출발하지 않습니다",
        "uk | Пором не вирушить раніше полудня через туман",
        "tr | Sis yüzünden feribot öğleden önce kalkmayacak",
      })
  void is_told_from_a_sentence(String language, String sentence) {
    assertThat(DETECTOR.of(sentence)).isEqualTo(language);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "OK",
        "v4.2.0",
        "2026-11-21 20:15:00",
        "https://harbour.example/the/ferry/will/not/leave/before/noon",
        "jo.keel@harbour.example #ferry #fog #noon",
        "霧",
      })
  void is_not_guessed_from_too_little(String text) {
    assertThat(DETECTOR.of(text)).isNull();
  }

  @Test
  void of_an_entry_is_that_of_title_and_text_without_markup() throws FeedParseException {
    assertThat(
            completed(
                    "<title>1</title><description>&lt;div class='the weather and the tide'&gt;"
                        + "&lt;b&gt;Wegen des Nebels&lt;/b&gt; legt die F&amp;auml;hre erst am"
                        + " Mittag ab&lt;/div&gt;</description>")
                .language())
        .isEqualTo("de");
    assertThat(completed("<title>Le bateau ne partira pas avant midi</title>").language())
        .isEqualTo("fr");
  }

  @Test
  void that_is_declared_stands() throws FeedParseException {
    assertThat(
            completed(
                    "<dc:language>gd</dc:language><title>The ferry will not leave before noon"
                        + "</title>")
                .language())
        .isEqualTo("gd");
  }

  @Test
  void changes_neither_fingerprint_nor_id() throws FeedParseException {
    Feed feed =
        Fixtures.parse(Fixtures.item("<title>The ferry will not leave before noon</title>"));
    Entry before = feed.entries().get(0);
    Entry after = DETECTOR.complete(feed).entries().get(0);
    assertThat(after.language()).isEqualTo("en");
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(Fingerprint.of(after)).isEqualTo(Fingerprint.of(before));
  }

  @Test
  void is_the_same_from_many_threads() {
    List<String> told =
        IntStream.range(0, 2_000)
            .parallel()
            .mapToObj(
                i ->
                    String.valueOf(
                        DETECTOR.of(
                            i % 2 == 0
                                ? "Wegen des Nebels legt die Fähre erst am Mittag ab"
                                : "Le bateau ne partira pas avant midi à cause du brouillard")))
            .toList();
    for (int i = 0; i < told.size(); i++) {
      assertThat(told.get(i)).isEqualTo(i % 2 == 0 ? "de" : "fr");
    }
  }
}
