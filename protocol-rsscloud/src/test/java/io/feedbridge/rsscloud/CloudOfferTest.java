package io.feedbridge.rsscloud;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a cloud puts into a feed that it stores. */
class CloudOfferTest {

  private static final CloudOffer OFFER =
      new CloudOffer(
          "http://me.example:5337/files/bull/rss.xml",
          "http://me.example:5337/hub",
          URI.create("http://me.example:5337/pleaseNotify"));

  private static final String PUT_IN =
      "<atom:link xmlns:atom=\"http://www.w3.org/2005/Atom\" rel=\"hub\""
          + " href=\"http://me.example:5337/hub\"/>"
          + "<atom:link xmlns:atom=\"http://www.w3.org/2005/Atom\" rel=\"self\""
          + " href=\"http://me.example:5337/files/bull/rss.xml\"/>"
          + "<cloud domain=\"me.example\" port=\"5337\" path=\"/pleaseNotify\" registerProcedure=\"\""
          + " protocol=\"http-post\"/>"
          + "<source:cloud xmlns:source=\"https://source.scripting.com/\">"
          + "http://me.example:5337/pleaseNotify</source:cloud>";

  private static String in(String rss) throws BadRssException {
    return new String(OFFER.in(rss.getBytes(UTF_8)), UTF_8)
        .replaceFirst("^<\\?xml[^>]*\\?>", "")
        .replace(" />", "/>");
  }

  @Test
  void it_stands_at_the_beginning_of_the_channel_and_the_rest_is_kept() throws Exception {
    String rest =
        "<title>A &amp; B</title><x:y xmlns:x=\"urn:x\" z=\"1\"><![CDATA[<p>]]></x:y><!-- c -->"
            + "<item><link>http://a.example/</link><x:cloud xmlns:x=\"urn:x\"/></item>";

    assertThat(in("<rss version=\"2.0\"><channel>" + rest + "</channel></rss>"))
        .isEqualTo("<rss version=\"2.0\"><channel>" + PUT_IN + rest + "</channel></rss>");
  }

  @Test
  void it_takes_the_place_of_what_the_text_offered() throws Exception {
    String links =
        "<a:link xmlns:a='http://www.w3.org/2005/Atom' rel='hub' href='http://old.example/'/>"
            + "<a:link xmlns:a='http://www.w3.org/2005/Atom' rel='self' href='http://old.example/'/>"
            + "<cloud domain='old.example' port='80' path='/' protocol='http-post'/>"
            + "<s:cloud xmlns:s='http://source.smallpict.com/2014/07/12'>http://old.example/</s:cloud>";

    assertThat(in("<rss><channel>" + links + "<link>http://a.example/</link></channel></rss>"))
        .isEqualTo("<rss><channel>" + PUT_IN + "<link>http://a.example/</link></channel></rss>");
  }

  @Test
  void a_discovery_finds_it() throws Exception {
    byte[] offered = OFFER.in("<rss><channel/></rss>".getBytes(UTF_8));

    assertThat(CloudDiscovery.all(offered))
        .extracting(CloudEndpoint::registrationUrl)
        .containsExactly(
            "http://me.example:5337/pleaseNotify", "http://me.example:5337/pleaseNotify");
  }

  @Test
  void a_gateway_that_is_public_by_https_is_registered_at_by_https() throws Exception {
    CloudOffer https =
        new CloudOffer(
            "https://me.example/f",
            "https://me.example/hub",
            URI.create("https://me.example/pleaseNotify"));

    assertThat(new String(https.in("<rss><channel/></rss>".getBytes(UTF_8)), UTF_8))
        .contains("port=\"443\"", "protocol=\"https-post\"");
  }

  @Test
  void what_browsers_would_run_and_what_is_outside_of_the_root_is_left_out() throws Exception {
    assertThat(
            in(
                "<?xml-stylesheet href='http://evil.example/x.xsl'?><!-- a --><rss><channel>"
                    + "<?php evil?></channel></rss><!-- b -->"))
        .isEqualTo("<rss><channel>" + PUT_IN + "</channel></rss>");
  }

  @Test
  void the_charset_is_that_of_the_prolog_and_becomes_utf8() throws Exception {
    byte[] latin1 =
        "<?xml version='1.0' encoding='ISO-8859-1'?><rss><channel><title>é</title></channel></rss>"
            .getBytes(ISO_8859_1);

    assertThat(new String(OFFER.in(latin1), UTF_8)).contains("UTF-8", "<title>é</title>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello",
        "<rss>",
        "<rss/>",
        "<rss><item/></rss>",
        "<html/>",
        "<channel/>",
        "<!DOCTYPE rss><rss><channel/></rss>",
        "<rss><channel>&nbsp;</channel></rss>"
      })
  void what_is_no_rss_is_refused(String text) {
    assertThatExceptionOfType(BadRssException.class)
        .isThrownBy(() -> in(text))
        .withMessageStartingWith("the text ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<html><head><title>t</title></head><body/></html>",
        "<HTML/>",
        "<!DOCTYPE html><html><body>x</body></html>",
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\""
            + " \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\"><html/>"
      })
  void an_html_page_is_called_one(String text) {
    assertThatExceptionOfType(BadRssException.class)
        .isThrownBy(() -> in(text))
        .withMessage("the text is an HTML page, not an RSS document");
  }

  @Test
  void a_text_that_is_too_long_is_refused() {
    assertThatExceptionOfType(BadRssException.class)
        .isThrownBy(() -> OFFER.in(new byte[CloudOffer.MAX_BYTES + 1]))
        .withMessageContaining("longer than 1048576");
  }
}
