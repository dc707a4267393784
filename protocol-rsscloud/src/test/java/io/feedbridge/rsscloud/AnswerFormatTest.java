package io.feedbridge.rsscloud;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerFormatTest {

  @Test
  void no_accept_header_means_xml() {
    assertThat(AnswerFormat.preferredBy(null)).isEqualTo(AnswerFormat.XML);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*/*",
        "text/xml",
        "text/html",
        "application/*",
        "application/xml, application/json",
        "application/json, text/xml",
        "application/json;q=0.5, text/xml;q=0.9",
        "application/json;q=0.5, */*",
        "application/json;q=0",
        "application/json;q=0, */*",
        "application/json;q=0.0, text/plain",
        "application/json;q=nonsense, */*;q=0.1",
        "application/json;q=2, */*;q=0.1",
        "application/jsonp",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        ",;,=;q=,,",
      })
  void xml_is_sent_unless_json_is_preferred(String accept) {
    assertThat(AnswerFormat.preferredBy(accept)).isEqualTo(AnswerFormat.XML);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json;q=0.001",
        "application/json, text/xml;q=0.9",
        "text/xml;q=0.9 , application/json ; Q=1.000",
        "application/json, */*;q=0.1",
        "application/json, text/plain, */*",
        "application/json, text/*;q=0.5, application/xml;q=0",
        "application/*;q=0.8, application/xml;q=0.1, text/xml;q=0.1",
      })
  void json_is_sent_where_its_weight_or_closeness_is_above(String accept) {
    assertThat(AnswerFormat.preferredBy(accept)).isEqualTo(AnswerFormat.JSON);
  }

  @Test
  void the_content_types_are_those_of_the_protocol() {
    assertThat(AnswerFormat.XML.contentType()).startsWith("text/xml");
    assertThat(AnswerFormat.JSON.contentType()).isEqualTo("application/json");
  }
}
