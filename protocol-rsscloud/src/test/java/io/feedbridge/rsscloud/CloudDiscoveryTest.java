package io.feedbridge.rsscloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.charset.Charset;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CloudDiscoveryTest {

  private static final String CLOUD =
      "<cloud domain='rpc.example' port='5337' path='/rsscloud/pleaseNotify' registerProcedure=''"
          + " protocol='http-post'/>";
  private static final CloudElement CLOUD_FOUND =
      new CloudElement("rpc.example", 5337, "/rsscloud/pleaseNotify", "", CloudProtocol.HTTP_POST);
  private static final String SOURCE =
      "<source:cloud>https://rpc.example/pleaseNotify</source:cloud>";
  private static final SourceCloud SOURCE_FOUND =
      new SourceCloud("https://rpc.example/pleaseNotify");
  private static final String ITEM = "<item><title>a</title><link>http://a.example/</link></item>";

  private static Optional<CloudEndpoint> find(String document) {
    return CloudDiscovery.find(document.getBytes(UTF_8));
  }

  private static String channel(String content) {
    return "<?xml version=\"1.0\"?><rss version=\"2.0\""
        + " xmlns:source=\"https://source.scripting.com/\"><channel><title>t</title>"
        + content
        + "</channel></rss>";
  }

  @Nested
  class In_the_channel {

    @Test
    void a_cloud_is_found() {
      assertThat(find(channel(CLOUD))).contains(CLOUD_FOUND);
    }

    @Test
    void a_cloud_is_found_in_the_head_of_a_list() {
      String opml = "<opml version='2.0' xmlns:source='https://source.scripting.com/'>";
      assertThat(find(opml + "<head><title>t</title>" + SOURCE + "</head><body/></opml>"))
          .contains(SOURCE_FOUND);
      assertThat(find(opml + "<head>" + CLOUD + "</head><body/></opml>")).contains(CLOUD_FOUND);
      assertThat(find(opml + "<channel>" + CLOUD + "</channel></opml>")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"https://source.scripting.com/", "http://source.smallpict.com/2014/07/12"})
    void a_source_cloud_is_found_in_both_namespaces(String namespace) {
      assertThat(
              find(
                  "<rss xmlns:s='"
                      + namespace
                      + "'><channel><s:cloud> https://rpc.example/p?a&amp;<![CDATA[b&c]]>&#61;d\n"
                      + "</s:cloud></channel></rss>"))
          .contains(new SourceCloud("https://rpc.example/p?a&b&c=d"));
    }

    @Test
    void a_source_cloud_wins_wherever_it_stands() {
      assertThat(find(channel(SOURCE + CLOUD))).contains(SOURCE_FOUND);
      assertThat(find(channel(CLOUD + SOURCE))).contains(SOURCE_FOUND);
      assertThat(find(channel(CLOUD + ITEM + SOURCE))).contains(SOURCE_FOUND);
    }

    @Test
    void a_source_cloud_that_is_no_url_does_not_win() {
      assertThat(find(channel("<source:cloud>soon</source:cloud>" + CLOUD))).contains(CLOUD_FOUND);
      assertThat(find(channel("<source:cloud/>" + CLOUD))).contains(CLOUD_FOUND);
      String nested = "<source:cloud><b>https://x.example/</b></source:cloud>";
      assertThat(find(channel(nested + CLOUD))).contains(CLOUD_FOUND);
    }

    @Test
    void a_cloud_behind_the_items_is_found() {
      assertThat(find(channel(ITEM.repeat(1000) + CLOUD))).contains(CLOUD_FOUND);
    }

    @Test
    void a_cloud_with_a_port_that_is_none_is_passed_over() {
      String bad = CLOUD.replace("5337", "many");
      assertThat(find(channel(bad))).isEmpty();
      assertThat(find(channel(bad + CLOUD))).contains(CLOUD_FOUND);
    }

    @Test
    void of_several_clouds_the_first_to_register_at_is_taken() {
      String rpc = CLOUD.replace("http-post", "xml-rpc");
      String later = CLOUD.replace("rpc.example", "later.example");
      assertThat(find(channel(rpc + CLOUD + later))).contains(CLOUD_FOUND);
      assertThat(find(channel(rpc)).orElseThrow().protocol()).isEqualTo(CloudProtocol.XML_RPC);
    }

    @Test
    void a_document_wholly_in_a_namespace_is_read_too() {
      assertThat(find("<rss xmlns='http://rss2.example/'><channel>" + CLOUD + "</channel></rss>"))
          .contains(CLOUD_FOUND);
    }
  }

  @Nested
  class Elsewhere {

    @Test
    void a_cloud_that_is_not_a_child_of_the_channel_does_not_count() {
      assertThat(find(channel("<item>" + CLOUD + SOURCE + "</item>"))).isEmpty();
      assertThat(find(channel("<image>" + CLOUD + "</image>"))).isEmpty();
      assertThat(find("<rss>" + CLOUD + "<channel/>" + CLOUD + "</rss>")).isEmpty();
      assertThat(find("<rss><channel/><other>" + CLOUD + "</other></rss>")).isEmpty();
      assertThat(find(CLOUD)).isEmpty();
      assertThat(find("<feed><channel>" + CLOUD + SOURCE + "</channel></feed>")).isEmpty();
    }

    @Test
    void a_cloud_of_another_namespace_does_not_count() {
      assertThat(find(channel(CLOUD.replace("<cloud", "<cloud xmlns='urn:tags'")))).isEmpty();
      assertThat(find(channel("<cloud>https://rpc.example/p</cloud>"))).isEmpty();
    }

    @Test
    void a_cloud_in_a_comment_or_text_does_not_count() {
      assertThat(
              find(
                  channel(
                      "<!--" + CLOUD + "--><description><![CDATA[" + CLOUD + "]]></description>")))
          .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          " ",
          "<",
          "{}",
          "not xml",
          "<html><body/></html>",
          "\u0000",
          "<feed xmlns='http://www.w3.org/2005/Atom'/>",
          "<?xml version='1.0' encoding='x-none'?><rss/>"
        })
    void there_is_none_in_what_is_no_rss(String document) {
      assertThat(find(document)).isEmpty();
    }
  }

  @Nested
  class Ill_formed {

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<item><title>a & b</title></item>",
          "<item><title>a</item>",
          "<item><media:thumbnail/></item>",
          "<item a=1/>",
          "<item>\u0001</item>",
          "<item>]]></item>",
          "<item"
        })
    void what_was_found_before_stands(String illFormed) {
      assertThat(find(channel(CLOUD + illFormed))).contains(CLOUD_FOUND);
      assertThat(find(channel(CLOUD + illFormed + SOURCE))).contains(CLOUD_FOUND);
    }

    @Test
    void a_document_cut_at_any_byte_is_survived() {
      byte[] whole = channel(CLOUD + ITEM).getBytes(UTF_8);
      int end = new String(whole, UTF_8).indexOf("/>") + 2;
      for (int length = 0; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        assertThat(CloudDiscovery.find(cut).isPresent()).isEqualTo(length >= end);
      }
    }

    @Test
    void entities_of_html_in_text_are_survived() {
      assertThat(find(channel("<description>a&nbsp;b&eacute;</description>" + CLOUD)))
          .contains(CLOUD_FOUND);
    }

    @Test
    void a_blank_line_or_byte_order_mark_before_the_declaration_is_survived() {
      assertThat(find("\r\n" + channel(CLOUD))).contains(CLOUD_FOUND);
      assertThat(find("\ufeff" + channel(CLOUD))).contains(CLOUD_FOUND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "ISO-8859-1", "windows-1252"})
    void other_encodings_are_read(String charset) {
      String document =
          channel("<description>é</description>" + CLOUD)
              .replace("version=\"1.0\"?", "version=\"1.0\" encoding=\"" + charset + "\"?");
      assertThat(CloudDiscovery.find(document.getBytes(Charset.forName(charset))))
          .contains(CLOUD_FOUND);
    }

    @Test
    void random_damage_never_throws() {
      byte[] whole = channel(CLOUD + ITEM + SOURCE).getBytes(UTF_8);
      Random random = new Random(7);
      for (int i = 0; i < 5000; i++) {
        byte[] damaged = whole.clone();
        for (int hits = random.nextInt(8); hits >= 0; hits--) {
          damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
        }
        CloudDiscovery.find(damaged)
            .ifPresent(cloud -> assertThat(cloud.registrationUrl()).startsWith("http"));
      }
    }
  }

  @Nested
  class Hostile {

    @Test
    void a_dtd_is_neither_fetched_nor_expanded() {
      String bomb =
          "<!DOCTYPE rss SYSTEM 'file:///nowhere' [<!ENTITY a 'rpc.example'>"
              + "<!ENTITY % x SYSTEM 'http://127.0.0.1:1/'>%x;]>";
      assertThat(find(bomb + "<rss><channel>" + CLOUD + "</channel></rss>")).contains(CLOUD_FOUND);
      assertThat(
              find(
                  bomb
                      + "<rss><channel>"
                      + CLOUD.replace("rpc.example", "&a;")
                      + "</channel></rss>"))
          .isEmpty();
    }

    @Test
    void depth_is_bounded() {
      assertThat(find(channel("<a>".repeat(90) + "</a>".repeat(90) + CLOUD))).contains(CLOUD_FOUND);
      assertThat(find(channel("<a>".repeat(200) + "</a>".repeat(200) + CLOUD))).isEmpty();
      assertThat(find("<a>".repeat(1_000_000))).isEmpty();
    }

    @Test
    void namespaces_in_scope_are_bounded_but_not_those_declared_one_after_another() {
      String declaring = "<item xmlns:a='urn:a' xmlns:b='urn:b'/>";
      assertThat(find(channel(declaring.repeat(1000) + CLOUD))).contains(CLOUD_FOUND);
      StringBuilder nested = new StringBuilder();
      for (int i = 0; i < 10; i++) {
        nested.append("<a");
        for (int j = 0; j < 90; j++) {
          nested.append(" xmlns:n").append(i).append('x').append(j).append("='urn:x'");
        }
        nested.append('>');
      }
      assertThat(find(channel(nested + "</a>".repeat(10) + CLOUD))).isEmpty();
    }

    @Test
    void bytes_are_bounded() {
      String filler = "<!--" + "x".repeat(CloudDiscovery.MAX_BYTES) + "-->";
      assertThat(find(channel(CLOUD + filler))).contains(CLOUD_FOUND);
      assertThat(find(channel(filler + CLOUD))).isEmpty();
    }

    @Test
    void a_source_cloud_of_megabytes_is_no_url() {
      String text = "https://a.example/" + "x".repeat(4_000_000);
      assertThat(find(channel("<source:cloud>" + text + "</source:cloud>" + CLOUD)))
          .contains(CLOUD_FOUND);
    }

    @Test
    void the_dearest_document_within_the_bounds_is_read_in_time() {
      StringBuilder document = new StringBuilder("<rss>");
      for (int i = 0; i < 2; i++) {
        document.append("<channel");
        for (int j = 0; j < 99; j++) {
          document.append(" xmlns:n").append(i).append('x').append(j).append("='urn:x'");
        }
        document.append('>');
      }
      document.append("<n0x0:q/>".repeat(1_500_000));
      byte[] bytes = document.toString().getBytes(UTF_8);
      assertTimeoutPreemptively(
          Duration.ofSeconds(20), () -> assertThat(CloudDiscovery.find(bytes)).isEmpty());
    }
  }
}
