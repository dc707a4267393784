package io.feedbridge.rsscloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.Charset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResultTest {

  private static NotifyResult parse(String text) throws BadResultException {
    return NotifyResult.parse(text.getBytes(UTF_8));
  }

  @Nested
  class Written {

    @Test
    void a_notifyResult_has_the_attributes_success_and_msg() {
      assertThat(new NotifyResult(true, "It worked.").toXml())
          .endsWith("<notifyResult success=\"true\" msg=\"It worked.\"/>")
          .startsWith("<?xml ");
      assertThat(new NotifyResult(false, "No.").toXml())
          .endsWith("<notifyResult success=\"false\" msg=\"No.\"/>");
    }

    @Test
    void a_ping_is_answered_by_result_with_success_and_msg() {
      assertThat(PingResult.thanks().toXml())
          .endsWith("<result success=\"true\" msg=\"Thanks for the ping.\"/>");
      assertThat(PingResult.refused("No.").toXml())
          .endsWith("<result success=\"false\" msg=\"No.\"/>");
    }

    @Test
    void json_has_a_boolean_and_a_string() {
      assertThat(new NotifyResult(true, "a \"b\"").toJson())
          .isEqualTo("{\"success\":true,\"msg\":\"a \\\"b\\\"\"}");
      assertThat(PingResult.thanks().toJson())
          .isEqualTo("{\"success\":true,\"msg\":\"Thanks for the ping.\"}");
    }

    @Test
    void the_form_follows_what_the_caller_prefers() {
      NotifyResult notify = NotifyResult.registered();
      assertThat(notify.in(AnswerFormat.XML)).isEqualTo(notify.toXml());
      assertThat(notify.in(AnswerFormat.JSON)).isEqualTo(notify.toJson());
      PingResult ping = PingResult.thanks();
      assertThat(ping.in(AnswerFormat.XML)).isEqualTo(ping.toXml());
      assertThat(ping.in(AnswerFormat.JSON)).isEqualTo(ping.toJson());
    }

    @Test
    void attributes_are_escaped() {
      assertThat(new NotifyResult(false, "<a href=\"x\">&</a>\r\n\t").toXml())
          .doesNotContain("<a", "\n", "\r", "\t")
          .contains("&lt;a href=&quot;x&quot;", "&amp;");
    }

    @Test
    void what_xml_cannot_say_becomes_a_replacement_character() throws Exception {
      NotifyResult odd = new NotifyResult(false, "a\u0000b\u001bc\ud800d\uffffe");
      assertThat(parse(odd.toXml()).msg()).isEqualTo("a\ufffdb\ufffdc\ufffdd\ufffde");
      assertThat(parse(odd.toJson()).msg()).isEqualTo("a\ufffdb\ufffdc\ufffdd\ufffde");
    }
  }

  @Nested
  class Several_feeds_in_one_call {

    @Test
    void are_a_success_only_if_all_were_registered() {
      assertThat(NotifyResult.of(Map.of())).isEqualTo(NotifyResult.registered());
      assertThat(NotifyResult.of(Map.of("http://a.example/", "it answers 404")).success())
          .isFalse();
    }

    @Test
    void are_named_where_they_were_not() {
      Map<String, String> refused = new LinkedHashMap<>();
      refused.put("http://b.example/", "it answers 404");
      refused.put("http://a.example/", "its host is not known");
      assertThat(NotifyResult.of(refused).msg())
          .containsSubsequence(
              "http://b.example/", "it answers 404", "http://a.example/", "its host is not known");
    }
  }

  @Nested
  class Read {

    @Test
    void random_results_come_back_as_they_were_written() throws Exception {
      Random random = new Random(3);
      for (int i = 0; i < 500; i++) {
        NotifyResult notify = new NotifyResult(random.nextBoolean(), text(random));
        assertThat(parse(notify.toXml())).isEqualTo(notify);
        assertThat(parse(notify.toJson())).isEqualTo(notify);
        PingResult ping = new PingResult(random.nextBoolean(), text(random));
        assertThat(PingResult.parse(ping.toXml().getBytes(UTF_8))).isEqualTo(ping);
        assertThat(PingResult.parse(ping.toJson().getBytes(UTF_8))).isEqualTo(ping);
      }
    }

    private static String text(Random random) {
      int[] alphabet = "ab <>&\"'\n\t\r\u0085\u2028{}é漢😀\ufffd".codePoints().toArray();
      StringBuilder text = new StringBuilder();
      random
          .ints(random.nextInt(40), 0, alphabet.length)
          .forEach(index -> text.appendCodePoint(alphabet[index]));
      return text.toString();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<notifyResult success='true' msg='x'/>",
          "<?xml version='1.0'?>\n<notifyResult success='true' msg='x' />",
          "\r\n <?xml version=\"1.0\"?><notifyResult msg=\"x\" success=\"TRUE\"></notifyResult>",
          "\ufeff<notifyResult success='1' msg='x'/>",
          "<!DOCTYPE notifyResult><!-- a --><notifyResult success=' true ' msg='x'/>",
          "<n:notifyResult xmlns:n='urn:x' success='true' msg='x'/>",
          "<notifyResult success='true' msg='x'><unclosed>",
          "<notifyResult success='true' msg='x'/>trailing junk & more",
          "<result success='true' msg='x'/>",
          "{\"success\":true,\"msg\":\"x\"}",
          " \n{ \"msg\": \"x\", \"more\": {\"success\": false, \"a\": [1]}, \"success\": \"true\" }",
        })
    void what_clouds_write_is_understood(String answer) throws Exception {
      assertThat(parse(answer)).isEqualTo(new NotifyResult(true, "x"));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<notifyResult success='false'/>",
          "<notifyResult success=''/>",
          "<notifyResult success='yes'/>",
          "{\"success\":false}",
          "{\"success\":null,\"msg\":\"\"}",
          "{\"success\":0}",
        })
    void anything_but_true_is_a_refusal_and_msg_may_be_missing(String answer) throws Exception {
      NotifyResult result = parse(answer);
      assertThat(result.success()).isFalse();
      assertThat(result.msg()).isIn("", "null");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ISO-8859-1", "UTF-16", "UTF-16LE"})
    void the_encoding_is_the_documents_own(String charset) throws Exception {
      String text =
          "<?xml version='1.0' encoding='" + charset + "'?><notifyResult success='true' msg='é'/>";
      assertThat(NotifyResult.parse(text.getBytes(Charset.forName(charset))).msg()).isEqualTo("é");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          " \n",
          "OK",
          "true",
          "null",
          "[]",
          "{",
          "{}",
          "{\"success\":",
          "{\"success\":true",
          "{success:true}",
          "{\"msg\":\"x\"}",
          "{\"success\":{\"success\":true}}",
          "<",
          "<notifyResult",
          "<notifyResult msg='x'/>",
          "<notifyResult success='true' success='true'/>",
          "<notifyResult success='true' msg='a & b'/>",
          "<html><notifyResult success='true' msg='x'/></html>",
          "<?xml version='1.0' encoding='x-none'?><notifyResult success='true'/>",
          "<?xml version='1.0' encoding='!!'?><notifyResult success='true'/>",
          "\u0000\u0001",
        })
    void anything_else_is_unreadable(String answer) {
      assertThatExceptionOfType(BadResultException.class).isThrownBy(() -> parse(answer));
    }

    @Test
    void entities_of_a_dtd_are_not_expanded() throws Exception {
      String answer = "<!DOCTYPE x [<!ENTITY e 'true'>]><notifyResult success='&e;' msg='a&e;b'/>";
      assertThat(parse(answer)).isEqualTo(new NotifyResult(false, "ab"));
    }

    @Test
    void an_answer_over_the_bound_is_not_read() {
      byte[] huge = ("{\"success\":true}" + " ".repeat(NotifyResult.MAX_BYTES)).getBytes(UTF_8);
      assertThatExceptionOfType(BadResultException.class)
          .isThrownBy(() -> NotifyResult.parse(huge))
          .withMessageContaining("longer than");
    }

    @Test
    void the_longest_answer_of_ours_is_within_the_bound() throws Exception {
      Map<String, String> refused = new LinkedHashMap<>();
      for (int i = 0; i < RssCloud.MAX_URLS; i++) {
        refused.put(i + "&".repeat(RssCloud.MAX_URL_LENGTH / 5), "it answers 404");
      }
      NotifyResult result = parse(NotifyResult.of(refused).toXml());
      assertThat(result.success()).isFalse();
      assertThat(result.msg()).hasSize(Answer.MAX_MSG_LENGTH);
    }
  }

  @ParameterizedTest
  @EnumSource(AnswerFormat.class)
  void a_registration_is_answered_with_when_to_renew(AnswerFormat format) throws Exception {
    NotifyResult result = parse(NotifyResult.registered().in(format));
    assertThat(result.success()).isTrue();
    assertThat(result.msg()).contains("25 hours");
  }
}
