package io.feedbridge.gateway.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/** A cloud's answers, read by parsers that are not the gateway's. */
public final class Results {

  private Results() {}

  /** A result, in whichever form it came. */
  public record Result(boolean success, String msg) {}

  /** Status 200 and text/xml with this root element, which has both attributes and no content. */
  public static Result xml(HttpResponse<String> answer, String element) {
    assertAnswer(answer, "text/xml");
    try {
      Element root =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new ByteArrayInputStream(answer.body().getBytes(UTF_8)))
              .getDocumentElement();
      assertThat(root.getNodeName()).isEqualTo(element);
      assertThat(root.getChildNodes().getLength()).isZero();
      assertThat(root.getAttribute("success")).isIn("true", "false");
      assertThat(root.getAttribute("msg")).isNotBlank();
      return new Result(root.getAttribute("success").equals("true"), root.getAttribute("msg"));
    } catch (Exception e) {
      throw new AssertionError("not well-formed: " + answer.body(), e);
    }
  }

  /** Status 200 and application/json with both fields. */
  public static Result json(HttpResponse<String> answer) {
    assertAnswer(answer, "application/json");
    try {
      JsonNode root = new ObjectMapper().readTree(answer.body());
      assertThat(root.get("success").isBoolean()).isTrue();
      assertThat(root.get("msg").asText()).isNotBlank();
      return new Result(root.get("success").asBoolean(), root.get("msg").asText());
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new AssertionError("no JSON: " + answer.body(), e);
    }
  }

  private static void assertAnswer(HttpResponse<String> answer, String type) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValueSatisfying(given -> assertThat(given).startsWith(type));
  }
}
