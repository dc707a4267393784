package io.feedbridge.gateway.edge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The usual attacks on readers of XML, by each door that takes XML: nothing is read or called that
 * the document names, and each is answered soon.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class XmlAttacksTest {

  private static final String SECRET = "the-secret-of-this-machine";
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String LOGIN = "reader";

  private final FakeOrigin attacker = new FakeOrigin();
  private World world;
  private Path secret;
  private String password;
  private String pushed;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    secret = Files.writeString(folder.resolve("secret"), SECRET);
    world = World.on(folder.resolve("data"));
    password = world.gateway().addUser(LOGIN);
    String link = "<atom:link rel=\"hub\" href=\"" + world.hub().url() + "\"/>";
    pushed = world.origin().rss("pushed.xml", link, "one");
    world.subscribe(pushed, "pushed");
    World.until(() -> world.hub().subscribers(pushed) == 1);
    World.until(() -> world.gateway().rows().count("following WHERE state = 'ACTIVE'") == 1);
  }

  @AfterAll
  void stop() {
    world.close();
    attacker.close();
  }

  /** What a document has in front of its root, and within. */
  private record Attack(String name, String front, String inner, Charset charset) {
    Attack(String name, String front, String inner) {
      this(name, front, inner, UTF_8);
    }
  }

  private List<Attack> attacks() {
    String file = secret.toUri().toString();
    String url = attacker.url("called");
    return List.of(
        new Attack("entities that multiply", doctype(laughs()), "&e9;"),
        new Attack(
            "an entity that is repeated",
            doctype("<!ENTITY a '" + "a".repeat(50_000) + "'>"),
            "&a;".repeat(20_000)),
        new Attack("an entity in a file", doctype("<!ENTITY x SYSTEM '" + file + "'>"), "&x;"),
        new Attack(
            "an entity in a file in UTF-16",
            doctype("<!ENTITY x SYSTEM '" + file + "'>"),
            "&x;",
            Charset.forName("UTF-16")),
        new Attack("an entity at a URL", doctype("<!ENTITY x SYSTEM '" + url + "'>"), "&x;"),
        new Attack("a public entity", doctype("<!ENTITY x PUBLIC 'x' '" + url + "'>"), "&x;"),
        new Attack(
            "a parameter entity", doctype("<!ENTITY % p SYSTEM '" + url + "'> %p; %p;"), "x"),
        new Attack("a DTD at a URL", "<!DOCTYPE x SYSTEM '" + url + "'>", "&x;"),
        new Attack(
            "an inclusion",
            "",
            "<i:include xmlns:i='http://www.w3.org/2001/XInclude' parse='text' href='%s'/>"
                .formatted(file)),
        new Attack("a stylesheet", "<?xml-stylesheet href='" + url + "' type='text/xsl'?>", "x"),
        new Attack(
            "a schema",
            "",
            "<a xmlns:s='http://www.w3.org/2001/XMLSchema-instance' s:schemaLocation='urn:a %s'/>"
                .formatted(url)),
        new Attack("20,000 levels", "", "<a>".repeat(20_000)),
        new Attack("5,000 attributes", "", "<a" + numbered(" a#='x'", 5_000) + "/>"),
        new Attack("5,000 namespaces", "", "<a" + numbered(" xmlns:n#='urn:#'", 5_000) + "/>"),
        new Attack("names with the same hash code", "", "<" + colliding("/><") + "/>"),
        new Attack("a comment without end", "", "<!--" + "-".repeat(100_000)),
        new Attack("a CDATA section without end", "", "<![CDATA[" + "]".repeat(100_000)),
        new Attack("characters that are none", "", "&#0;&#xFFFFFFFF;\u0000"));
  }

  private static String doctype(String declarations) {
    return "<!DOCTYPE x [" + declarations + "]>";
  }

  private static String laughs() {
    return "<!ENTITY e0 'ha'>"
        + numbered("<!ENTITY e# '&e-;&e-;&e-;&e-;&e-;&e-;&e-;&e-;&e-;&e-;'>", 10);
  }

  /** With the number for each {@code #}, and the one before for each {@code -}. */
  private static String numbered(String format, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= count; i++) {
      text.append(format.replace("e-", "e" + (i - 1)).replace("#", Integer.toString(i)));
    }
    return text.toString();
  }

  private static String colliding(String between) {
    return String.join(
        between,
        IntStream.range(0, 1 << 13)
            .mapToObj(
                i -> {
                  StringBuilder name = new StringBuilder();
                  for (int bit = 0; bit < 13; bit++) {
                    name.append((i >> bit & 1) == 0 ? "Aa" : "BB");
                  }
                  return name.toString();
                })
            .toList());
  }

  private enum Door {
    FEED,
    FAT_PING,
    XML_RPC,
    SOAP,
    SAVE_RSS,
    OPML
  }

  record Case(String name, Runnable attack) {
    @Override
    public String toString() {
      return name;
    }
  }

  Stream<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (Door door : Door.values()) {
      for (Attack attack : attacks()) {
        cases.add(new Case(attack.name() + " by " + door, () -> run(door, attack)));
      }
    }
    return cases.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void nothing_comes_of(Case one) {
    one.attack().run();
  }

  private void run(Door door, Attack attack) {
    long begun = System.nanoTime();
    List<HttpResponse<String>> answers =
        switch (door) {
          case FEED -> feed(rss(attack).getBytes(attack.charset()));
          case FAT_PING -> List.of(world.hub().deliver(pushed, "application/rss+xml", rss(attack)));
          case XML_RPC ->
              List.of(
                  post(
                      "/RPC2",
                      attack.front()
                          + "<methodCall><methodName>rssCloud.ping</methodName><params><param><value>"
                          + attack.inner()
                          + "</value></param></params></methodCall>",
                      attack));
          case SOAP ->
              List.of(
                  post(
                      "/soap",
                      attack.front()
                          + "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>"
                          + "<ping><url>"
                          + attack.inner()
                          + "</url></ping></s:Body></s:Envelope>",
                      attack));
          case SAVE_RSS -> saved(rss(attack));
          case OPML ->
              List.of(
                  world
                      .gateway()
                      .post(
                          "/api/v1/import",
                          "text/x-opml",
                          (attack.front()
                                  + "<opml version='2.0'><head><title>x</title></head><body>"
                                  + attack.inner()
                                  + "<outline type='rss' xmlUrl='ftp://a/'/></body></opml>")
                              .getBytes(attack.charset())));
        };

    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
    assertThat(answers)
        .isNotEmpty()
        .allSatisfy(
            answer ->
                assertThat(answer.body())
                    .doesNotContain(SECRET, "Exception", "\tat ")
                    .hasSizeLessThan(2_000_000));
    assertThat(attacker.requests()).as("requests to the attacker").isZero();
    assertThat(world.gateway().get("/health").statusCode()).isEqualTo(200);
  }

  private static String rss(Attack attack) {
    return attack.front()
        + "<rss version='2.0'><channel><title>t</title><link>http://a.example/</link><description>"
        + attack.inner()
        + "</description><item><guid>g</guid><title>i</title></item></channel></rss>";
  }

  private HttpResponse<String> post(String path, String document, Attack attack) {
    return world.gateway().post(path, "text/xml", document.getBytes(attack.charset()));
  }

  /** It is followed, read, and looked at as a bridged feed. */
  private List<HttpResponse<String>> feed(byte[] document) {
    String path = "attack" + world.origin().requests() + ".xml";
    String topic = world.origin().serve(path, "application/rss+xml", document);
    HttpResponse<String> followed =
        world.gateway().json("POST", "/api/v1/feeds", "{\"url\":\"" + topic + "\"}");
    assertThat(followed.statusCode()).isBetween(200, 202);
    world.gateway().settle();
    assertThat(world.origin().requests(path)).isNotEmpty();
    return List.of(followed, world.gateway().get("/feed.rss?" + Http.encode("url", topic)));
  }

  /** The document is the text of a call that is well. */
  private List<HttpResponse<String>> saved(String document) {
    String text = document.replace("&", "&amp;").replace("<", "&lt;").replace("\u0000", "");
    String call =
        """
        <methodCall><methodName>rssCloud.saveRss</methodName><params>
        <param><value>%s</value></param><param><value>%s</value></param>
        <param><value><string>%s</string></value></param></params></methodCall>
        """
            .formatted(LOGIN, password, text);
    return List.of(
        world.gateway().post("/RPC2", "text/xml", call.getBytes(UTF_8)),
        world.gateway().get("/files/" + LOGIN + "/rss.xml"));
  }

  @Test
  void a_document_without_an_attack_is_taken_by_each_door() {
    Attack none = new Attack("none", "", "words");
    assertThat(feed(rss(none).getBytes(UTF_8)).get(1).body()).contains("words");
    assertThat(world.hub().deliver(pushed, "application/rss+xml", rss(none)).statusCode())
        .isBetween(200, 299);
    assertThat(saved(rss(none)).get(1).body()).contains("words");
    assertThat(
            world
                .gateway()
                .post(
                    "/api/v1/import",
                    "text/x-opml",
                    "<opml version='2.0'><head/><body/></opml>".getBytes(UTF_8))
                .statusCode())
        .isEqualTo(200);
    HttpResponse<String> hello =
        world
            .gateway()
            .post(
                "/RPC2",
                "text/xml",
                "<methodCall><methodName>rssCloud.hello</methodName><params/></methodCall>"
                    .getBytes(UTF_8));
    assertThat(hello.body()).contains("methodResponse").doesNotContain("fault");
  }
}
