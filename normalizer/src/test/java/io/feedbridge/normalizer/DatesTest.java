package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Sat, 07 Sep 2002 09:42:31 GMT | 2002-09-07T09:42:31Z",
        "Sat, 7 Sep 02 09:42 EST | 2002-09-07T14:42:00Z",
        "07 September 2002 09:42:31 +0530 | 2002-09-07T04:12:31Z",
        "Sat, 07 Sep 2002 09:42:31 -08:00 | 2002-09-07T17:42:31Z",
        "7 Sep 1999 | 1999-09-07T00:00:00Z",
        "2003-12-31T10:14:55-08:00 | 2003-12-31T18:14:55Z",
        "2003-12-31T10:14:55.25Z | 2003-12-31T10:14:55.250Z",
        "2003-12-31 10:14:55 | 2003-12-31T10:14:55Z",
        "2003-12-31T10:14Z | 2003-12-31T10:14:00Z",
        "20031231 | 2003-12-31T00:00:00Z",
        "2003-12 | 2003-12-01T00:00:00Z",
        "2003 | 2003-01-01T00:00:00Z",
        "2003-12-31T24:00:00Z | 2004-01-01T00:00:00Z",
        "2016-12-31T23:59:60Z | 2016-12-31T23:59:59Z",
        "Sat Sep  7 09:42:31 2002 | 2002-09-07T09:42:31Z",
        "Sat Sep 7 09:42:31 PDT 2002 | 2002-09-07T16:42:31Z",
        "Sat, 07 Sep 2002 8:56 am PST | 2002-09-07T16:56:00Z",
        "September 7, 2002 8:56 pm | 2002-09-07T20:56:00Z",
        "Sep 7 2002 12:05 AM | 2002-09-07T00:05:00Z",
        "Saturday, 07-Sep-02 09:42:31 GMT | 2002-09-07T09:42:31Z",
        "20020907T094231Z | 2002-09-07T09:42:31Z",
        "20020907094231 | 2002-09-07T09:42:31Z",
        "20020907T094231+0200 | 2002-09-07T07:42:31Z",
        "2002-250 | 2002-09-07T00:00:00Z",
        "2002-W36-6 | 2002-09-07T00:00:00Z",
        "9/7/2002 9:42:31 AM | 2002-09-07T09:42:31Z",
        "07.09.2002 09:42 | 2002-09-07T09:42:00Z",
        "2002/09/07 09:42:31 | 2002-09-07T09:42:31Z",
        "Κυρ, 11 Ιούλ 2004 12:00:00 EST | 2004-07-11T17:00:00Z",
        "2004-július-13T9:15-05:00 | 2004-07-13T14:15:00Z",
        "2004-május-01T9:15-05:00 | 2004-05-01T14:15:00Z",
        "2004년 05월 28일  01:31:15 | 2004-05-28T01:31:15Z",
        "2004-05-28 오후 01:31:15 | 2004-05-28T13:31:15Z",
        "lun., 7 févr. 2022 10:00:00 +0100 | 2022-02-07T09:00:00Z",
        "Mo, 7 März 2022 10:00 CET | 2022-03-07T09:00:00Z",
        "7 de septiembre de 2002 | 2002-09-07T00:00:00Z"
      })
  void the_forms_feeds_use(String text, String instant) {
    assertThat(Dates.parse(text)).isEqualTo(Instant.parse(instant));
  }

  @Test
  void three_hundred_spellings_are_read_as_they_are_meant() throws IOException {
    List<String> lines =
        Fixtures.lines("/dates/spellings.txt").stream().filter(l -> !l.startsWith("#")).toList();
    List<String> otherwise = new ArrayList<>();
    for (String line : lines) {
      String spelling = line.substring(0, line.lastIndexOf(" | "));
      Instant instant = Dates.parse(spelling);
      if (!line.equals(spelling + " | " + (instant == null ? "none" : instant))) {
        otherwise.add(line + " and not " + instant);
      }
    }
    assertThat(lines).hasSizeGreaterThan(300);
    assertThat(otherwise).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "yesterday", "2003-13-40", "Sat, 40 Sep 2002", "2003-12-31T99:99:99Z", "0000"})
  void what_is_no_date_gives_none(String text) {
    assertThat(Dates.parse(text)).isNull();
  }

  @Test
  void a_text_beyond_all_dates_is_not_looked_at() {
    assertThat(Dates.parse("2003-12-31" + " ".repeat(200) + "x")).isNull();
  }
}
