import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class WebSubSubscriber {

  public static void main(String[] args) throws IOException {
    URI callback = URI.create(args[2]);
    InetSocketAddress address = new InetSocketAddress(callback.getHost(), callback.getPort());
    HttpServer server = HttpServer.create(address, 0);
    server.createContext(callback.getPath(), exchange -> answer(exchange, args[1], args[3]));
    server.start();
    // Renew once a day, before the lease ends.
    Executors.newSingleThreadScheduledExecutor()
        .scheduleAtFixedRate(() -> subscribe(args), 0, 1, TimeUnit.DAYS);
  }

  private static void subscribe(String[] args) {
    String form =
        "hub.mode=subscribe&format=json&hub.topic=%s&hub.callback=%s&hub.secret=%s"
            .formatted(encode(args[1]), encode(args[2]), encode(args[3]));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(args[0]))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build();
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      System.out.println(answer.statusCode() + " " + answer.body());
    } catch (IOException | InterruptedException e) {
      System.out.println("the hub is out of reach: " + e);
    }
  }

  private static void answer(HttpExchange exchange, String topic, String secret)
      throws IOException {
    byte[] answer = {};
    int status = 204;
    if (exchange.getRequestMethod().equals("GET")) {
      Map<String, String> query = query(exchange.getRequestURI());
      System.out.println(query);
      // A verification has a challenge, which must be returned. A denial has none.
      String challenge = query.getOrDefault("hub.challenge", "");
      status = topic.equals(query.get("hub.topic")) ? 200 : 404;
      answer = status == 200 ? challenge.getBytes(StandardCharsets.UTF_8) : answer;
    } else {
      byte[] body = exchange.getRequestBody().readAllBytes();
      // A body without the right signature is dropped without an error.
      if (isSigned(body, exchange.getRequestHeaders().getFirst("X-Hub-Signature"), secret)) {
        System.out.println(new String(body, StandardCharsets.UTF_8));
      }
    }
    exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private static boolean isSigned(byte[] body, String signature, String secret) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      String expected = "sha256=" + HexFormat.of().formatHex(mac.doFinal(body));
      return signature != null
          && MessageDigest.isEqual(signature.getBytes(), expected.getBytes());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<String, String> query(URI uri) {
    Map<String, String> query = new HashMap<>();
    for (String parameter : String.valueOf(uri.getRawQuery()).split("&")) {
      String[] nameAndValue = (parameter + "=").split("=", 3);
      query.put(
          URLDecoder.decode(nameAndValue[0], StandardCharsets.UTF_8),
          URLDecoder.decode(nameAndValue[1], StandardCharsets.UTF_8));
    }
    return query;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
