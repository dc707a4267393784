package io.feedbridge.rsscloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever can be written is read again as it was. */
class RpcRoundTripTest {

  private static final int ROUNDS = 2_000;
  private static final int MAX_NESTING = 4;
  private static final String CHARACTERS = "ab <>&\"']]>\t\n\r\u0085é€😀\u2028";

  private final Random random = new Random(17);

  @Test
  void an_xml_rpc_call_of_generated_values() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      RpcValue[] values = new RpcValue[random.nextInt(5)];
      for (int v = 0; v < values.length; v++) {
        values[v] = value(0);
      }
      RpcCall call = RpcCall.of("rssCloud.p" + i, values);
      byte[] written = RpcProtocol.XML_RPC.writeCall(call);

      assertThat(RpcProtocol.of(written, RpcProtocol.SOAP)).isEqualTo(RpcProtocol.XML_RPC);
      assertThat(RpcProtocol.XML_RPC.readCall(written, RpcProtocol.CONTENT_TYPE)).isEqualTo(call);
    }
  }

  @Test
  void an_xml_rpc_answer_of_generated_values() throws Exception {
    RpcCall call = RpcCall.of("any");
    for (int i = 0; i < ROUNDS; i++) {
      RpcValue value = value(0);
      byte[] written = RpcProtocol.XML_RPC.writeAnswer(call, value);

      assertThat(RpcProtocol.XML_RPC.readAnswer(written, null))
          .isEqualTo(new RpcAnswer.Result(value));
    }
  }

  @Test
  void a_soap_call_of_generated_texts_and_lists() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      List<RpcCall.Argument> arguments = new ArrayList<>();
      for (int a = random.nextInt(5); a > 0; a--) {
        arguments.add(new RpcCall.Argument("argument" + a, textOrList(0)));
      }
      RpcCall call = new RpcCall("rssCloud.p" + i, arguments);
      byte[] written = RpcProtocol.SOAP.writeCall(call);

      assertThat(RpcProtocol.of(written, RpcProtocol.XML_RPC)).isEqualTo(RpcProtocol.SOAP);
      assertThat(RpcProtocol.SOAP.readCall(written, null)).isEqualTo(call);
    }
  }

  @Test
  void a_soap_answer_whose_simple_values_come_back_as_texts() throws Exception {
    RpcCall call = RpcCall.of("any");
    for (int i = 0; i < ROUNDS; i++) {
      RpcValue value = simple();
      byte[] written = RpcProtocol.SOAP.writeAnswer(call, value);
      String text =
          value instanceof RpcValue.Binary binary ? binary.base64() : value.asText().orElseThrow();

      assertThat(RpcProtocol.SOAP.readAnswer(written, null))
          .isEqualTo(new RpcAnswer.Result(new RpcValue.Text(text)));
    }
  }

  @Test
  void a_fault() throws Exception {
    for (RpcProtocol rpc : RpcProtocol.values()) {
      RpcAnswer read =
          rpc.readAnswer(rpc.writeFault(RpcProtocol.Blame.CLIENT, "<No> & such"), null);

      assertThat(read).isInstanceOf(RpcAnswer.Fault.class);
      assertThat(((RpcAnswer.Fault) read).message()).isEqualTo("<No> & such");
    }
  }

  @Test
  void what_xml_cannot_write_becomes_the_replacement_character() throws Exception {
    for (RpcProtocol rpc : RpcProtocol.values()) {
      RpcCall call = RpcCall.of("a", new RpcValue.Text("a\u0000\uffff\ud83d"));

      assertThat(rpc.readCall(rpc.writeCall(call), null).texts())
          .containsExactly("a\ufffd\ufffd\ufffd");
    }
  }

  private RpcValue value(int nesting) {
    if (nesting < MAX_NESTING && random.nextInt(3) == 0) {
      List<RpcValue> values = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        values.add(value(nesting + 1));
      }
      if (random.nextBoolean()) {
        return new RpcValue.Items(values);
      }
      Map<String, RpcValue> fields = new LinkedHashMap<>();
      values.forEach(value -> fields.put(text(), value));
      return new RpcValue.Fields(fields);
    }
    return random.nextInt(9) == 0 ? new RpcValue.Nil() : simple();
  }

  private RpcValue simple() {
    return switch (random.nextInt(6)) {
      case 0 -> new RpcValue.Int(random.nextBoolean() ? random.nextInt() : random.nextLong());
      case 1 -> new RpcValue.Bool(random.nextBoolean());
      case 2 -> new RpcValue.Real(random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20));
      case 3 -> new RpcValue.Time("20011130T08:15:00");
      case 4 -> binary();
      default -> new RpcValue.Text(text());
    };
  }

  private RpcValue binary() {
    byte[] bytes = new byte[random.nextInt(100)];
    random.nextBytes(bytes);
    return RpcValue.Binary.of(bytes);
  }

  private RpcValue textOrList(int nesting) {
    if (nesting < MAX_NESTING && random.nextInt(3) == 0) {
      List<RpcValue> values = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        values.add(textOrList(nesting + 1));
      }
      return new RpcValue.Items(values);
    }
    return new RpcValue.Text(text());
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    int[] points = CHARACTERS.codePoints().toArray();
    for (int i = random.nextInt(12); i > 0; i--) {
      text.appendCodePoint(points[random.nextInt(points.length)]);
    }
    return text.toString();
  }
}
