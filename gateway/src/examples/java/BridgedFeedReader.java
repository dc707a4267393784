import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

public class BridgedFeedReader {

  private static final String ATOM = "http://www.w3.org/2005/Atom";

  public static void main(String[] args) throws InterruptedException, ParserConfigurationException {
    String feed = URLEncoder.encode(args[1], StandardCharsets.UTF_8);
    URI url = URI.create(args[0] + "/feed.atom?url=" + feed);
    long seconds = args.length > 2 ? Long.parseLong(args[2]) : 300;
    DocumentBuilderFactory xml = DocumentBuilderFactory.newDefaultNSInstance();
    xml.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    HttpClient client = HttpClient.newHttpClient();
    Set<String> known = new HashSet<>();
    String tag = "\"none yet\"";
    while (true) {
      HttpRequest request = HttpRequest.newBuilder(url).header("If-None-Match", tag).build();
      try {
        HttpResponse<byte[]> answer =
            client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        InputStream body = new ByteArrayInputStream(answer.body());
        if (answer.statusCode() == 200) {
          NodeList entries =
              xml.newDocumentBuilder().parse(body).getElementsByTagNameNS(ATOM, "entry");
          tag = answer.headers().firstValue("ETag").orElse(tag);
          for (int i = entries.getLength() - 1; i >= 0; i--) {
            Element entry = (Element) entries.item(i);
            if (known.add(text(entry, "id"))) {
              System.out.println(text(entry, "title"));
            }
          }
        } else if (answer.statusCode() != 304) {
          System.err.println(answer.statusCode() + " " + new String(answer.body()));
        }
      } catch (IOException | SAXException e) {
        System.err.println("not this time: " + e.getMessage());
      }
      Thread.sleep(seconds * 1_000);
    }
  }

  private static String text(Element entry, String name) {
    return entry.getElementsByTagNameNS(ATOM, name).item(0).getTextContent();
  }
}
