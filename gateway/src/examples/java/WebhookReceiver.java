import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class WebhookReceiver {

  public static void main(String[] args) throws IOException {
    byte[] key = Base64.getDecoder().decode(args[1].substring("whsec_".length()));
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0]));
    HttpServer server = HttpServer.create(address, 0);
    server.createContext("/", exchange -> receive(exchange, key));
    server.start();
    System.out.println("ready");
  }

  private static void receive(HttpExchange exchange, byte[] key) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    byte[] answer = {};
    int status = 401;
    if (isSigned(exchange, body, key)) {
      status = 200;
      String text = new String(body, StandardCharsets.UTF_8);
      if (text.startsWith("{\"type\":\"endpoint.verification\"")) {
        answer = body; // the body has the challenge
      } else {
        // A retry has the same id: skip an id that you have seen.
        System.out.println(exchange.getRequestHeaders().getFirst("webhook-id") + " " + text);
      }
    }
    exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private static boolean isSigned(HttpExchange exchange, byte[] body, byte[] key) {
    String id = exchange.getRequestHeaders().getFirst("webhook-id");
    String timestamp = exchange.getRequestHeaders().getFirst("webhook-timestamp");
    String signatures = exchange.getRequestHeaders().getFirst("webhook-signature");
    if (id == null || timestamp == null || signatures == null) {
      return false;
    }
    try {
      if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > 300) {
        return false; // a replayed message
      }
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
      for (String signature : signatures.split(" ")) {
        if (MessageDigest.isEqual(signature.getBytes(), expected)) {
          return true;
        }
      }
      return false;
    } catch (NumberFormatException | GeneralSecurityException e) {
      return false;
    }
  }
}
