package io.feedbridge.websub;

import static io.feedbridge.websub.Forms.subscribe;
import static io.feedbridge.websub.HubRequestTest.assertRefused;
import static io.feedbridge.websub.HubRequestTest.subscription;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** H16: which URLs are accepted, and as what. */
class HubUrlTest {

  @Nested
  class H16_callbacks {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "http://a.example",
          "HTTP://A.Example:80/%7e/%2f/../x?a=b&&hub.mode=x&c",
          "https://a.example:8443/?",
          "http://under_score.example/a;b=c,d/(e)'*!",
          "http://[2001:db8::1]:8080/cb",
          "http://192.0.2.1/x?y[]=z"
        })
    void H16_a_callback_stays_byte_for_byte(String callback) throws Exception {
      assertThat(subscription("hub.callback", callback).callback()).isEqualTo(callback);
    }

    @Test
    void H16_a_callback_has_no_fragment() {
      assertRefused(
          subscribe("hub.callback", "http://a.example/cb#x"),
          "hub.callback must not have a fragment (the part behind the #)");
    }

    @Test
    void H16_a_callback_is_ascii() {
      assertRefused(
          subscribe("hub.callback", "http://a.example/ü"),
          "hub.callback contains characters that are not ASCII; percent-encode them");
      assertRefused(
          subscribe("hub.callback", "http://bücher.example/"),
          "hub.callback contains characters that are not ASCII; percent-encode them");
    }
  }

  @Nested
  class H16_both {
    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "ftp://a.example/|must be an absolute http or https URL",
          "//a.example/|must be an absolute http or https URL",
          "/feed|must be an absolute http or https URL",
          "javascript:alert(1)|must be an absolute http or https URL",
          "http:/a.example|must be an absolute http or https URL",
          "http://u:p@a.example/|must not contain a user name or password",
          "http://@a.example/|must not contain a user name or password",
          "http:///x|has no valid host name",
          "http://:80/|has no valid host name",
          "http://a%2eexample/|has no valid host name",
          "http://a!b/|has no valid host name",
          "http://a.example:0/|has a port that is not a number from 1 to 65535",
          "http://a.example:65536/|has a port that is not a number from 1 to 65535",
          "http://a.example:-1/|has a port that is not a number from 1 to 65535",
          "http://a.example:8x/|has a port that is not a number from 1 to 65535",
          "http://a.example/a b|contains a space or a control character; percent-encode it",
          "http://a.example/<b>|contains <; percent-encode it",
          "http://a.example\\b.example/|contains \\; percent-encode it",
          "http://a.example/%|contains a % that two hexadecimal digits do not follow; write it as"
              + " %25",
          "http://a.example/%4|contains a % that two hexadecimal digits do not follow; write it as"
              + " %25",
          "http://a.example/%zz|contains a % that two hexadecimal digits do not follow; write it as"
              + " %25",
        })
    void H16_anything_but_a_plain_web_address_is_refused(String url, String reason) {
      assertRefused(subscribe("hub.topic", url), "hub.topic " + reason);
      assertRefused(subscribe("hub.callback", url), "hub.callback " + reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\r\nX: y", "\n", "\t", "\0", "\u007f", "\u0085", "\u00a0", "\u2028"})
    void H16_nothing_gets_in_that_could_break_a_header(String bad) {
      String url = "http://a.example/" + bad;
      String reason = "contains a space or a control character; percent-encode it";
      assertRefused(subscribe("hub.topic", url), "hub.topic " + reason);
      assertRefused(subscribe("hub.callback", url), "hub.callback " + reason);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"http://[::1]x/", "http://[1.2.3.4]/", "http://[::g]/", "http://a.example/[x]"})
    void H16_what_the_parser_of_java_refuses_is_refused(String url) {
      assertThatThrownBy(() -> HubRequest.parse(subscribe("hub.callback", url)))
          .isInstanceOf(BadHubRequestException.class)
          .hasMessageStartingWith("hub.callback is not a valid URL: ");
    }

    @Test
    void H16_2048_characters_are_accepted_and_no_more() throws Exception {
      String longest = "http://a.example/" + "x".repeat(2048 - 17);
      assertThat(subscription("hub.topic", longest, "hub.callback", longest).topic())
          .isEqualTo(longest);
      String tooLong = longest + "x";
      assertRefused(subscribe("hub.topic", tooLong), "hub.topic is longer than 2048 characters");
      assertRefused(
          subscribe("hub.callback", tooLong), "hub.callback is longer than 2048 characters");
      assertRefused(
          subscribe("hub.callback", "http://news.example/" + "é".repeat(1100)),
          "hub.callback is longer than 2048 bytes");
      assertRefused(
          subscribe("hub.topic", "http://a.example/" + "ü".repeat(1000)),
          "hub.topic is longer than 2048 characters once it is percent-encoded");
    }

    @Test
    void H16_full_width_letters_do_not_smuggle_in_a_user_or_a_path() {
      assertRefused(
          subscribe("hub.topic", "http://a.example＠b.example/"),
          "hub.topic has no valid host name");
      assertRefused(
          subscribe("hub.topic", "http://a.example／b.example/"),
          "hub.topic has no valid host name");
    }
  }

  @Nested
  class H16_topics {
    @ParameterizedTest
    @CsvSource({
      "http://a.example,http://a.example/",
      "HTTP://A.EXAMPLE/Feed,http://a.example/Feed",
      "http://a.example:80/,http://a.example/",
      "https://a.example:443/,https://a.example/",
      "http://a.example:443/,http://a.example:443/",
      "http://a.example:08080/,http://a.example:8080/",
      "http://a.example:/,http://a.example/",
      "http://a.example?q=%41,http://a.example/?q=A",
      "http://a.example/%7Euser/%2d%2e%5f,http://a.example/~user/-._",
      "http://a.example/a%2fb?c=%26%3d,http://a.example/a%2Fb?c=%26%3D",
      "http://a.example/%2541,http://a.example/%2541",
      "http://a.example/ü?ö,http://a.example/%C3%BC?%C3%B6",
      "http://a.example/%c3%bc,http://a.example/%C3%BC",
      "http://Bücher.example/,http://xn--bcher-kva.example/",
      "http://[2001:DB8::1]/,http://[2001:db8::1]/",
      "http://a.example//b/../c/?,http://a.example//b/../c/?",
    })
    void H16_a_topic_is_normalized(String given, String expected) throws Exception {
      assertThat(subscription("hub.topic", given).topic()).isEqualTo(expected);
      assertThat(subscription("hub.topic", given).requestedTopic()).isEqualTo(given);
    }

    @ParameterizedTest
    @CsvSource({
      "http://A.example#a, http://a.example/#a",
      "http://a.example/doc.json#%24.items, http://a.example/doc.json#$.items",
      "http://a.example/doc.json#$.items[0], http://a.example/doc.json#$.items%5B0%5D",
      "http://a.example/p#div%20%3E%20p, http://a.example/p#div%20%3E%20p",
      "http://a.example/p#div > p, http://a.example/p#div%20%3E%20p",
      "http://a.example/p#%23main, http://a.example/p#%23main",
      "http://a.example/p##main, http://a.example/p#%23main",
      "http://a.example/p#ü%, http://a.example/p#%C3%BC%25",
      "http://a.example/#, http://a.example/",
      "http://a.example/#%20, http://a.example/",
    })
    void H16_a_selection_has_one_spelling(String given, String expected) throws Exception {
      assertThat(TopicUrl.normalize(given)).isEqualTo(expected);
      assertThat(TopicUrl.normalize(expected)).isEqualTo(expected);
    }

    @Test
    void H16_a_topic_tells_its_document_and_its_selection() throws Exception {
      String topic = TopicUrl.normalize("http://a.example/p?q=1#div > .ü");
      assertThat(TopicUrl.document(topic)).isEqualTo("http://a.example/p?q=1");
      assertThat(TopicUrl.selection(topic)).contains("div > .ü");
      assertThat(TopicUrl.selection("http://a.example/p")).isEmpty();
      assertThat(TopicUrl.pinged("url", "http://a.example/p#comment-1"))
          .isEqualTo("http://a.example/p");
    }

    @ParameterizedTest
    @CsvSource({
      "http://a.example/p#%FF, hub.topic has a fragment that is not UTF-8",
      "http://a.example/p#a%0Ab, hub.topic has a control character in its fragment",
    })
    void H16_a_selection_is_a_text(String topic, String reason) {
      assertRefused(subscribe("hub.topic", topic), reason);
    }

    @Test
    void H16_normalizing_twice_is_normalizing_once_and_gives_a_uri() {
      Random random = new Random(16);
      String alphabet = "aA0-._~%/?&=;,+:@!$'()*[]#ü€\ud83d\ude00";
      int accepted = 0;
      for (int round = 0; round < 20_000; round++) {
        StringBuilder url = new StringBuilder("http://Host.Example");
        url.append(random.nextBoolean() ? "/" : "?");
        for (int i = random.nextInt(12); i > 0; i--) {
          int c = alphabet.codePointAt(random.nextInt(alphabet.length()));
          url.appendCodePoint(c);
          if (c == '%') {
            url.append(String.format("%02x", random.nextInt(256)));
          }
        }
        String once;
        try {
          once = TopicUrl.normalize(url.toString());
          accepted++;
          assertThat(TopicUrl.normalize(once)).isEqualTo(once);
        } catch (BadHubRequestException e) {
          continue;
        }
        assertThat(URI.create(once).getHost()).isEqualTo("host.example");
        assertThat(once).matches("[!-~]+");
      }
      assertThat(accepted).isGreaterThan(10_000);
    }
  }
}
