import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;

public class StreamReader {

  public static void main(String[] args) throws InterruptedException {
    String last = args.length > 1 ? args[1] : null;
    while (true) {
      try {
        HttpURLConnection stream = (HttpURLConnection) new URL(args[0]).openConnection();
        stream.setReadTimeout(45_000); // a comment comes every 15 seconds at least
        if (last != null) {
          stream.setRequestProperty("Last-Event-ID", last);
        }
        try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(stream.getInputStream(), StandardCharsets.UTF_8))) {
          if (last == null) {
            last = stream.getHeaderField("Last-Event-ID"); // the stream begins behind this event
          }
          String id = last;
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("id: ")) {
              id = line.substring("id: ".length());
            } else if (line.startsWith("data: ")) {
              System.out.println(id + " " + line.substring("data: ".length()));
            } else if (line.isEmpty()) {
              last = id; // store this id to go on here at the next start
            }
          }
        }
      } catch (IOException e) {
        System.err.println("the stream is lost: " + e.getMessage());
      }
      Thread.sleep(1_000);
    }
  }
}
