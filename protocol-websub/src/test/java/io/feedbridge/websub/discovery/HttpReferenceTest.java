package io.feedbridge.websub.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** S1: relative references resolve against the final URL. */
class HttpReferenceTest {

  /** The examples of RFC 3986 §5.4, without their fragments. */
  @ParameterizedTest
  @CsvSource({
    "http:g,",
    "g:h,",
    "g,http://a/b/c/g",
    "./g,http://a/b/c/g",
    "g/,http://a/b/c/g/",
    "/g,http://a/g",
    "//g,http://g",
    "?y,http://a/b/c/d;p?y",
    "g?y,http://a/b/c/g?y",
    "#s,http://a/b/c/d;p?q",
    "g#s,http://a/b/c/g",
    ";x,http://a/b/c/;x",
    "g;x?y,http://a/b/c/g;x?y",
    "'',http://a/b/c/d;p?q",
    ".,http://a/b/c/",
    "./,http://a/b/c/",
    "..,http://a/b/",
    "../,http://a/b/",
    "../g,http://a/b/g",
    "../..,http://a/",
    "../../,http://a/",
    "../../g,http://a/g",
    "../../../g,http://a/g",
    "../../../../g,http://a/g",
    "/./g,http://a/g",
    "/../g,http://a/g",
    "g.,http://a/b/c/g.",
    ".g,http://a/b/c/.g",
    "g..,http://a/b/c/g..",
    "..g,http://a/b/c/..g",
    "./../g,http://a/b/g",
    "./g/.,http://a/b/c/g/",
    "g/./h,http://a/b/c/g/h",
    "g/../h,http://a/b/c/h",
    "g;x=1/./y,http://a/b/c/g;x=1/y",
    "g;x=1/../y,http://a/b/c/y",
    "g?y/./x,http://a/b/c/g?y/./x",
    "g?y/../x,http://a/b/c/g?y/../x",
  })
  void S1_resolves_as_the_standard_says(String reference, String expected) {
    assertThat(HttpReference.resolve(URI.create("http://a/b/c/d;p?q"), reference))
        .isEqualTo(Optional.ofNullable(expected).map(URI::create));
  }

  @ParameterizedTest
  @CsvSource({
    "http://a.example,hub,http://a.example/hub",
    "http://a.example,?x,http://a.example?x",
    "http://a.example?q,hub,http://a.example/hub",
    "http://proxy.example/http://x.example/f,hub,http://proxy.example/http://x.example/hub",
    "http://a.example/f,'  /a b|c ',http://a.example/a%20b%7Cc",
    "http://a.example/f,/50%/é,http://a.example/50%25/%C3%A9",
    "http://a.example/f,/a[1]?b[2],http://a.example/a%5B1%5D?b%5B2%5D",
    "http://a.example/f,HTTP://[::1]:8080/?a[]=b,http://[::1]:8080/?a[]=b",
    "http://a.example/f,https://Bücher.example:81/é?ü,https://xn--bcher-kva.example:81/%C3%A9?%C3%BC",
    "http://a.example/f,//b.example/g,http://b.example/g",
    "http://a.example/f,http://under_score.example/,http://under_score.example/",
  })
  void S1_resolves_what_is_found_in_the_wild(String base, String reference, String expected) {
    assertThat(HttpReference.resolve(URI.create(base), reference)).contains(URI.create(expected));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://a.example/",
        "mailto:a@b.example",
        "http://",
        "http:///x",
        "http://:80/",
        "http://user:pass@a.example/",
        "https:opaque",
        "http://[::1/",
        "http://%/",
        ":",
      })
  void S1_only_web_addresses_are_results(String reference) {
    assertThat(HttpReference.resolve(URI.create("http://a.example/"), reference)).isEmpty();
  }

  @Test
  void S1_results_are_bounded() {
    URI base = URI.create("http://a.example/");
    assertThat(HttpReference.resolve(base, "x".repeat(2031))).isPresent();
    assertThat(HttpReference.resolve(base, "x".repeat(2032))).isEmpty();
    assertThat(HttpReference.resolve(base, "é".repeat(1000))).isEmpty();
  }

  @Test
  void S1_no_reference_breaks_it() {
    Random random = new Random(1);
    String alphabet = "ah:/?#[]@%41.\\ \u0000é／＠\ud800";
    URI base = URI.create("http://a.example/b/c");
    for (int round = 0; round < 50_000; round++) {
      StringBuilder reference = new StringBuilder(random.nextBoolean() ? "http://" : "");
      for (int i = random.nextInt(10); i > 0; i--) {
        reference.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      Optional<URI> resolved = HttpReference.resolve(base, reference.toString());
      resolved.ifPresent(
          uri -> {
            assertThat(uri.toString()).matches("http://[^@/?]+([/?][!-~]*)?");
            assertThat(HttpReference.resolve(base, uri.toString())).contains(uri);
          });
    }
  }
}
