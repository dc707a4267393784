package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
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
        "2016-12-31T23:59:60Z | 2016-12-31T23:59:59Z"
      })
  void the_forms_feeds_use(String text, String instant) {
    assertThat(Dates.parse(text)).isEqualTo(Instant.parse(instant));
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
