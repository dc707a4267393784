package io.feedbridge.gateway.edge;

import java.util.List;
import java.util.stream.Stream;

/** Requests as bytes, each with what RFC 9110 or RFC 9112 has the gateway answer. */
final class RawRequests {

  /** What would be smuggled, behind a request whose end is in doubt: it must never be answered. */
  static final String SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

  private static final String FORM = "Content-Type: application/x-www-form-urlencoded";
  private static final String CHUNKED = "Transfer-Encoding: chunked";

  private RawRequests() {}

  /**
   * One request.
   *
   * @param bytes a character each
   * @param status of the answer
   * @param ends whether the connection is closed after it
   */
  record Case(String name, String bytes, int status, boolean ends) {
    @Override
    public String toString() {
      return name + " is " + status;
    }
  }

  /** Answered, and nothing behind it is read. */
  private static Case refused(int status, String name, String bytes) {
    return new Case(name, bytes + SMUGGLED, status, true);
  }

  /** Answered, and the connection is good for more. */
  private static Case answered(int status, String name, String bytes) {
    return new Case(name, bytes, status, false);
  }

  private static String head(String... lines) {
    return String.join("\r\n", lines) + "\r\n\r\n";
  }

  private static String get(String target) {
    return head("GET " + target + " HTTP/1.1", "Host: a");
  }

  /** A GET of a page that exists, with more fields. */
  private static String with(String... fields) {
    return "GET /health HTTP/1.1\r\nHost: a\r\n" + head(fields);
  }

  /** A request to the hub with more fields and a body. */
  private static String post(String body, String... fields) {
    return "POST /hub HTTP/1.1\r\nHost: a\r\n" + FORM + "\r\n" + head(fields) + body;
  }

  static Stream<Case> all() {
    return Stream.of(
            lengths(),
            codings(),
            chunks(),
            lines(),
            hosts(),
            targets(),
            versions(),
            bounds(),
            forms(),
            semantics())
        .flatMap(List::stream);
  }

  /** RFC 9112 §6.3. */
  private static List<Case> lengths() {
    return List.of(
        refused(400, "a length beside chunks", post("0\r\n\r\n", "Content-Length: 5", CHUNKED)),
        refused(400, "chunks beside a length", post("0\r\n\r\n", CHUNKED, "Content-Length: 5")),
        refused(400, "two lengths", post("abc", "Content-Length: 3", "Content-Length: 4")),
        refused(400, "two equal lengths", post("abc", "Content-Length: 3", "Content-Length: 3")),
        refused(400, "a list of lengths", post("abc", "Content-Length: 3, 4")),
        refused(400, "a list of equal lengths", post("abc", "Content-Length: 3, 3")),
        refused(400, "a negative length", post("abc", "Content-Length: -3")),
        refused(400, "a signed length", post("abc", "Content-Length: +3")),
        refused(400, "a hexadecimal length", post("abc", "Content-Length: 0x3")),
        refused(400, "an empty length", post("abc", "Content-Length:")),
        refused(400, "a length of two words", post("abc", "Content-Length: 1 2")),
        refused(
            400, "a length beyond 64 bits", post("abc", "Content-Length: 18446744073709551619")),
        refused(400, "a length of other digits", post("abc", "Content-Length: \u00b3")),
        refused(413, "a length beyond the bound", post("abc", "Content-Length: 9999999999")),
        answered(400, "a length with blanks around it", post("a=%", "Content-Length: \t3 ")));
  }

  /** RFC 9112 §6.1. */
  private static List<Case> codings() {
    return List.of(
        refused(
            501, "gzip below the chunks", post("0\r\n\r\n", "Transfer-Encoding: gzip, chunked")),
        refused(400, "chunks twice", post("0\r\n\r\n", "Transfer-Encoding: chunked, chunked")),
        refused(
            400, "chunks and identity", post("0\r\n\r\n", CHUNKED, "Transfer-Encoding: identity")),
        refused(
            501,
            "chunks below identity",
            post("0\r\n\r\n", "Transfer-Encoding: identity", CHUNKED)),
        refused(400, "an unknown coding", post("0\r\n\r\n", "Transfer-Encoding: xchunked")),
        refused(
            400, "chunks with a parameter", post("0\r\n\r\n", "Transfer-Encoding: chunked;q=1")),
        refused(400, "quoted chunks", post("0\r\n\r\n", "Transfer-Encoding: \"chunked\"")),
        refused(400, "an empty coding", post("0\r\n\r\n", "Transfer-Encoding:")),
        refused(
            400,
            "chunks behind a vertical tab",
            post("0\r\n\r\n", "Transfer-Encoding: \u000bchunked")),
        refused(400, "a blank before the colon", post("0\r\n\r\n", "Transfer-Encoding : chunked")),
        refused(
            400,
            "a coding on a line of its own",
            post("0\r\n\r\n", "Transfer-Encoding:\r\n chunked")),
        refused(
            400,
            "chunks in HTTP/1.0",
            head("POST /hub HTTP/1.0", "Host: a", FORM, CHUNKED) + "0\r\n\r\n"),
        answered(
            400,
            "chunks in capitals",
            post("3\r\na=%\r\n0\r\n\r\n", "Transfer-Encoding: CHUNKED")));
  }

  /** RFC 9112 §7.1. */
  private static List<Case> chunks() {
    return List.of(
        refused(400, "a chunk size of letters", post("zz\r\nabc\r\n0\r\n\r\n", CHUNKED)),
        refused(400, "a negative chunk size", post("-1\r\nabc\r\n0\r\n\r\n", CHUNKED)),
        refused(400, "a signed chunk size", post("+3\r\nabc\r\n0\r\n\r\n", CHUNKED)),
        refused(400, "a prefixed chunk size", post("0x3\r\nabc\r\n0\r\n\r\n", CHUNKED)),
        refused(400, "no chunk size", post("\r\nabc\r\n0\r\n\r\n", CHUNKED)),
        refused(
            400,
            "a chunk size beyond 64 bits",
            post("10000000000000003\r\nabc\r\n0\r\n\r\n", CHUNKED)),
        refused(
            413, "a chunk beyond the bound", post("fffffff\r\n" + "a".repeat(1_100_000), CHUNKED)),
        refused(400, "a chunk longer than its size", post("1\r\nabc\r\n0\r\n\r\n", CHUNKED)),
        refused(400, "a chunk that ends with LF", post("3\r\nabc\n0\r\n\r\n", CHUNKED)),
        refused(400, "a chunk size that ends with LF", post("3\nabc\r\n0\r\n\r\n", CHUNKED)),
        refused(400, "a chunk extension with LF", post("3;a=\nb\r\nabc\r\n0\r\n\r\n", CHUNKED)),
        refused(
            400,
            "a chunk extension without end",
            post("3;" + "a".repeat(9_000) + "\r\nabc\r\n0\r\n\r\n", CHUNKED)),
        refused(400, "a trailer field without a colon", post("0\r\nnonsense\r\n\r\n", CHUNKED)),
        refused(
            431,
            "trailer fields without end",
            post("0\r\n" + ("X: " + "a".repeat(1_000) + "\r\n").repeat(17) + "\r\n", CHUNKED)),
        answered(400, "a chunk extension", post("3;a=b\r\na=%\r\n0\r\n\r\n", CHUNKED)),
        answered(
            400, "a trailer field that routes", post("3\r\na=%\r\n0\r\nHost: b\r\n\r\n", CHUNKED)));
  }

  /** RFC 9112 §2.2 and §5. */
  private static List<Case> lines() {
    return List.of(
        refused(400, "a request line that ends with LF", "GET /health HTTP/1.1\nHost: a\r\n\r\n"),
        refused(400, "a field that ends with LF", "GET /health HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"),
        refused(400, "a head that ends with LF", "GET /health HTTP/1.1\r\nHost: a\r\n\n"),
        refused(400, "a CR within a field", with("X: a\rTransfer-Encoding: chunked")),
        refused(400, "a NUL within a field", with("X: a\u0000b")),
        refused(400, "a NUL within a name", with("X\u0000: a")),
        refused(400, "a control character within a field", with("X: a\u0001b")),
        refused(400, "a blank within a name", with("X Y: a")),
        refused(400, "a blank behind a name", with("X : a")),
        refused(400, "a tab behind a name", with("X\t: a")),
        refused(400, "a field without a colon", with("nonsense")),
        refused(400, "a field without a name", with(": a")),
        refused(400, "a blank before the first field", "GET /health HTTP/1.1\r\n Host: a\r\n\r\n"),
        answered(200, "a field that goes on on the next line", with("X: a", " b")),
        refused(400, "a name of other letters", with("\u00e9: a")),
        answered(200, "a value of other letters", with("X: \u00e9")),
        answered(200, "an empty value", with("X:")),
        answered(200, "empty lines before the request", "\r\n\r\n" + with("X: a")));
  }

  /** RFC 9112 §3.2. */
  private static List<Case> hosts() {
    return List.of(
        refused(400, "no Host", head("GET /health HTTP/1.1")),
        refused(400, "two Hosts", with("Host: b")),
        refused(400, "two equal Hosts", with("Host: a")),
        refused(400, "an empty Host", head("GET /health HTTP/1.1", "Host:")),
        refused(400, "a Host with a blank", head("GET /health HTTP/1.1", "Host: a b")),
        refused(400, "a Host with a user", head("GET /health HTTP/1.1", "Host: u@a")),
        refused(400, "a Host with a path", head("GET /health HTTP/1.1", "Host: a/b")),
        refused(400, "a Host with a port of letters", head("GET /health HTTP/1.1", "Host: a:http")),
        refused(400, "a Host with a long port", head("GET /health HTTP/1.1", "Host: a:999999")),
        refused(400, "a Host with half a bracket", head("GET /health HTTP/1.1", "Host: [::1")),
        refused(400, "two Hosts in HTTP/1.0", head("GET /health HTTP/1.0", "Host: a", "Host: b")),
        answered(200, "a Host of IPv6", head("GET /health HTTP/1.1", "Host: [::1]:5337")));
  }

  /** RFC 9112 §3.2 and RFC 3986. */
  private static List<Case> targets() {
    return List.of(
        answered(200, "an absolute target", get("http://b:80/health")),
        answered(400, "an absolute target with a user", get("http://u@b/health")),
        answered(400, "an absolute target without a host", get("http:///health")),
        answered(400, "a target of another scheme", get("ftp://b/health")),
        answered(400, "an authority without CONNECT", get("b:80")),
        answered(400, "a fragment", get("/health#a")),
        answered(400, "a target of other letters", get("/\u00e9")),
        answered(400, "a path upwards", get("/files/../health")),
        answered(400, "an encoded path upwards", get("/%2e%2e/%2E%2e/etc/passwd")),
        answered(404, "an encoded slash", get("/..%2f..%2fetc%2fpasswd")),
        answered(404, "a path with backslashes", get("/..\\..\\etc\\passwd")),
        answered(400, "a path upwards in long UTF-8", get("/%c0%ae%c0%ae/etc/passwd")),
        answered(400, "a percent sign alone", get("/%")),
        answered(400, "half an encoded character", get("/%2")),
        answered(400, "an encoded character of letters", get("/%u002e")),
        answered(400, "an encoded NUL", get("/health%00.xml")),
        answered(400, "encoded line breaks", get("/health%0d%0aX:%20y")),
        answered(400, "a query that is not UTF-8", get("/health?a=%ff")),
        answered(404, "empty segments", get("//health")),
        answered(204, "all of the server", head("OPTIONS * HTTP/1.1", "Host: a")),
        answered(404, "all of the server by GET", get("*")),
        refused(400, "a target with a blank", get("/a b")),
        refused(400, "no target", head("GET HTTP/1.1", "Host: a")));
  }

  /** RFC 9112 §2.3. */
  private static List<Case> versions() {
    return List.of(
        refused(400, "HTTP/0.9", "GET /health\r\n"),
        refused(505, "HTTP/2.0", head("GET /health HTTP/2.0", "Host: a")),
        refused(505, "the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        refused(505, "HTTP/3.0", head("GET /health HTTP/3.0", "Host: a")),
        refused(400, "HTTP in small letters", head("GET /health http/1.1", "Host: a")),
        refused(400, "HTTP without a dot", head("GET /health HTTP/11", "Host: a")),
        refused(400, "HTTP with more behind it", head("GET /health HTTP/1.1x", "Host: a")),
        refused(400, "HTTP with two digits", head("GET /health HTTP/1.10", "Host: a")),
        refused(400, "another protocol", "SSH-2.0-OpenSSH_9.6\r\n\r\n"),
        refused(400, "TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n"),
        answered(200, "HTTP/1.2", head("GET /health HTTP/1.2", "Host: a")));
  }

  private static List<Case> bounds() {
    return List.of(
        refused(414, "a request line beyond the bound", get("/" + "a".repeat(8_192))),
        refused(
            414,
            "blanks without end",
            "GET" + " ".repeat(9_000) + "/health HTTP/1.1\r\nHost: a\r\n\r\n"),
        refused(431, "a field beyond the bound", with("X: " + "a".repeat(17_000))),
        refused(431, "a name beyond the bound", with("a".repeat(17_000) + ": b")),
        refused(431, "more fields than the bound", with("a:\r\n".repeat(127) + "b: c")),
        answered(200, "as many fields as the bound", with("a:\r\n".repeat(126) + "b: c")),
        answered(400, "more parameters than the bound", get("/health?" + "a&".repeat(1_025))),
        answered(400, "more fields of a form than the bound", form("a&".repeat(1_025))),
        refused(413, "a form beyond the bound", form("a".repeat(1_100_000))));
  }

  private static String form(String body) {
    return post(body, "Content-Length: " + body.length());
  }

  private static List<Case> forms() {
    return List.of(
        answered(400, "a form with half a percent-encoding", form("url=%4")),
        answered(400, "a form that is not UTF-8", form("url=%ff")),
        answered(400, "a form with raw bytes that are not UTF-8", form("url=\u00ff")),
        answered(400, "a form with a NUL", form("url=http://a.example/%00")),
        answered(400, "a form with a line break", form("url=http://a.example/%0d%0aX:%20y")),
        answered(400, "an empty form", form("")),
        answered(
            415, "two content types", post("a=b", "Content-Type: text/xml", "Content-Length: 3")),
        answered(
            415,
            "a content type of nonsense",
            head("POST /hub HTTP/1.1", "Host: a", "Content-Type: \u00ff", "Content-Length: 3")
                + "a=b"));
  }

  /** RFC 9110 §9 and §10. */
  private static List<Case> semantics() {
    return List.of(
        answered(501, "TRACE", head("TRACE /health HTTP/1.1", "Host: a", "Cookie: secret")),
        answered(501, "CONNECT", head("CONNECT b:80 HTTP/1.1", "Host: b:80")),
        answered(501, "a method in small letters", head("get /health HTTP/1.1", "Host: a")),
        answered(501, "a method that nobody knows", head("SPELL /health HTTP/1.1", "Host: a")),
        refused(400, "a method of other characters", head("G<T /health HTTP/1.1", "Host: a")),
        answered(
            405, "a method that is not for this path", head("DELETE /health HTTP/1.1", "Host: a")),
        refused(417, "an expectation that nobody knows", with("Expect: wonders")),
        answered(
            200,
            "an upgrade to HTTP/2",
            with(
                "Connection: Upgrade, HTTP2-Settings",
                "Upgrade: h2c",
                "HTTP2-Settings: AAMAAABkAAQAoAAA")),
        answered(
            200,
            "an upgrade to WebSocket",
            with(
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")),
        answered(200, "a hop-by-hop Host", with("Connection: Host, X")),
        answered(200, "a range beyond the end", with("Range: bytes=99999999999999999999-")),
        refused(400, "bytes behind a request", "\r\n\u0000\u0000 nonsense\r\n\r\n"));
  }
}
