package io.feedbridge.normalizer;

import java.text.Normalizer;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The names of months, and their abbreviations, in the languages that dates of feeds are in. */
final class MonthNames {
  private static final Pattern MARKS = Pattern.compile("\\p{M}");

  /** The twelve names of a year in each language, in lower case without accents. */
  private static final List<String> NAMES =
      List.of(
          "jan feb mar apr may jun jul aug sep oct nov dec",
          "january february march april may june july august september october november december",
          "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
          "janv fevr mars avr mai juin juil aout sept oct nov dec",
          "januar februar marz april mai juni juli august september oktober november dezember",
          "jan feb mrz apr mai jun jul aug sep okt nov dez",
          "janner feber maerz april mai juni juli august september oktober november dezember",
          "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
          "ene feb mar abr may jun jul ago sep oct nov dic",
          "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre"
              + " dicembre",
          "gen feb mar apr mag giu lug ago set ott nov dic",
          "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
          "jan fev mar abr mai jun jul ago set out nov dez",
          "januari februari maart april mei juni juli augustus september oktober november december",
          "jan feb mrt apr mei jun jul aug sep okt nov dec",
          "januari februari mars april maj juni juli augusti september oktober november december",
          "januar februar marts april maj juni juli august september oktober november desember",
          "januar februar maret april mei juni juli agustus september oktober november desember",
          "januar februar marec april maj junij julij avgust september oktober november december",
          "januar februar marcius aprilis majus junius julius augusztus szeptember oktober november"
              + " december",
          "jan febr marc apr maj jun jul aug szept okt nov dec",
          "stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika"
              + " listopada grudnia",
          "sty lut mar kwi maj cze lip sie wrz paz lis gru",
          "ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince",
          "ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik",
          "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie"
              + " decembrie",
          "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta"
              + " syyskuuta lokakuuta marraskuuta joulukuuta",
          "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
          "янв фев мар апр май июн июл авг сен окт ноя дек",
          "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
          "ιαν φεβ μαρ απρ μαι ιουν ιουλ αυγ σεπ οκτ νοε δεκ",
          "ιαν φεβ μαρτ απρ μαϊ ιον ιολ αυγ σεπτ οκτ νοεμ δεκ",
          "ιανουαριου φεβρουαριου μαρτιου απριλιου μαιου ιουνιου ιουλιου αυγουστου σεπτεμβριου"
              + " οκτωβριου νοεμβριου δεκεμβριου",
          "ιανουαριος φεβρουαριος μαρτιος απριλιος μαιος ιουνιος ιουλιος αυγουστος σεπτεμβριος"
              + " οκτωβριος νοεμβριος δεκεμβριος",
          "ian feb mar apr mai iun iul aug sep oct noi dec",
          "oca sub mar nis may haz tem agu eyl eki kas ara",
          "led uno bre dub kve cvn cvc srp zar rij lis pro",
          "styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad"
              + " grudzien",
          "tammi helmi maalis huhti touko kesa heina elo syys loka marras joulu",
          "gener febrer marc abril maig juny juliol agost setembre octubre novembre desembre",
          "januari februari maret april mei juni juli agu september okt nop desember",
          "януари февруари март април май юни юли август септември октомври ноември декември",
          "січ лют бер кві тра чер лип сер вер жов лис гру");

  /** By the name in lower case without accents; of a name in two languages the first counts. */
  private static final Map<String, Integer> MONTHS = months();

  private MonthNames() {}

  private static Map<String, Integer> months() {
    Map<String, Integer> months = new HashMap<>();
    for (String names : NAMES) {
      String[] twelve = names.split(" ", -1);
      for (int i = 0; i < twelve.length; i++) {
        months.putIfAbsent(plain(twelve[i]), i + 1);
      }
    }
    return Map.copyOf(months);
  }

  /** Lower case, without accents. */
  private static String plain(String text) {
    String lower = text.toLowerCase(Locale.ROOT).replace('ß', 's').replace('ı', 'i');
    String decomposed = Normalizer.normalize(lower.replace('ł', 'l'), Normalizer.Form.NFD);
    return MARKS.matcher(decomposed).replaceAll("").replace('ς', 'σ');
  }

  /** From 1 to 12; negative for a word that is no month. */
  static int month(String word) {
    return MONTHS.getOrDefault(plain(word), -1);
  }
}
