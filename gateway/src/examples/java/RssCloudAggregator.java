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
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

public class RssCloudAggregator {

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

  public static void main(String[] args) throws IOException {
    URI handler = URI.create(args[2]);
    InetSocketAddress address = new InetSocketAddress(handler.getHost(), handler.getPort());
    HttpServer server = HttpServer.create(address, 0);
    server.createContext(handler.getPath(), exchange -> answer(exchange, args[1]));
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    // A cloud ends a registration that is not renewed within 25 hours.
    Executors.newSingleThreadScheduledExecutor()
        .scheduleAtFixedRate(() -> register(args, handler), 0, 23, TimeUnit.HOURS);
  }

  private static void register(String[] args, URI handler) {
    String form =
        "notifyProcedure=&protocol=http-post&domain=%s&port=%d&path=%s&url1=%s"
            .formatted(
                encode(handler.getHost()),
                handler.getPort(),
                encode(handler.getPath()),
                encode(args[1]));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(args[0]))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build();
    try {
      // The status is 200 for a refusal too: the body tells them apart.
      System.out.println(CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body());
    } catch (IOException | InterruptedException e) {
      System.out.println("the cloud is out of reach: " + e);
    }
  }

  private static void answer(HttpExchange exchange, String feed) throws IOException {
    boolean asked = exchange.getRequestMethod().equals("GET");
    byte[] body = exchange.getRequestBody().readAllBytes();
    Map<String, String> form =
        parameters(
            asked
                ? exchange.getRequestURI().getRawQuery()
                : new String(body, StandardCharsets.UTF_8));
    boolean ours = feed.equals(form.get("url"));
    byte[] challenge = form.getOrDefault("challenge", "").getBytes(StandardCharsets.UTF_8);
    byte[] answer = asked && ours ? challenge : new byte[0];
    exchange.sendResponseHeaders(ours ? 200 : 404, answer.length == 0 ? -1 : answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
    // A notification is not signed, so it is only a reason to fetch the feed.
    if (!asked && ours) {
      fetch(feed);
    }
  }

  private static void fetch(String feed) throws IOException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(feed)).build();
    try {
      System.out.println(CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static Map<String, String> parameters(String form) {
    Map<String, String> parameters = new HashMap<>();
    for (String parameter : String.valueOf(form).split("&")) {
      String[] nameAndValue = (parameter + "=").split("=", 3);
      parameters.put(
          URLDecoder.decode(nameAndValue[0], StandardCharsets.UTF_8),
          URLDecoder.decode(nameAndValue[1], StandardCharsets.UTF_8));
    }
    return parameters;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
