package io.feedbridge.gateway.server.message;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request whose body has been read, within the bound of its route.
 *
 * @param method the name of the method, case-sensitive; HEAD where a GET route answers it
 * @param path the path, percent-decoded and without dot segments
 * @param rawPath the path as sent, percent-encoded
 * @param rawQuery the query as sent, without the question mark; empty if there is none
 * @param query the query's parameters, decoded
 * @param headers the header fields; {@code Host} is that of the target where it was in absolute
 *     form (RFC 9112 §3.2.2)
 * @param body the body, empty if there is none; to be left unchanged
 * @param peer the address the connection comes from, which is a proxy's where there is one
 * @param pathVariables the variables of the route's path, decoded
 */
@SuppressWarnings("ArrayRecordComponent") // a body is handed on, never compared
public record Request(
    String method,
    String path,
    String rawPath,
    String rawQuery,
    Map<String, List<String>> query,
    Headers headers,
    byte[] body,
    InetSocketAddress peer,
    Map<String, String> pathVariables) {

  /** A request from within the process, whose path needs no encoding. */
  public Request(
      String method,
      String path,
      String rawQuery,
      Map<String, List<String>> query,
      Headers headers,
      byte[] body,
      InetSocketAddress peer,
      Map<String, String> pathVariables) {
    this(method, path, path, rawQuery, query, headers, body, peer, pathVariables);
  }

  /** This request without its body, to be kept after the body was read. */
  public Request withoutBody() {
    return withBody(new byte[0]);
  }

  /** This request with another body. */
  public Request withBody(byte[] other) {
    return new Request(method, path, rawPath, rawQuery, query, headers, other, peer, pathVariables);
  }

  /** This request with other decoded parameters of the query. */
  public Request withQuery(Map<String, List<String>> other) {
    return new Request(method, path, rawPath, rawQuery, other, headers, body, peer, pathVariables);
  }

  /** This request with one value of a header field in place of all others of that name. */
  public Request withHeader(String name, String value) {
    return new Request(
        method,
        path,
        rawPath,
        rawQuery,
        query,
        headers.with(name, value),
        body,
        peer,
        pathVariables);
  }

  /** This request from another address. */
  public Request from(InetSocketAddress other) {
    return new Request(method, path, rawPath, rawQuery, query, headers, body, other, pathVariables);
  }

  /**
   * The body as application/x-www-form-urlencoded in UTF-8, decoded anew at each call.
   *
   * @throws BadRequestException at bad percent-encoding, malformed UTF-8 or more than 1,024
   *     parameters
   */
  public Map<String, List<String>> form() {
    return Parameters.parse(new String(body, StandardCharsets.ISO_8859_1));
  }

  /**
   * The body as multipart/form-data, decoded anew at each call.
   *
   * @throws BadRequestException where it is none, or has files, malformed UTF-8 or more than 1,024
   *     fields
   */
  public Map<String, List<String>> multipart() {
    return Multipart.parse(header("Content-Type").orElse(""), body);
  }

  /**
   * The same of a form that may have files.
   *
   * @param files takes the bytes of each file by the name of its field, the first where there are
   *     several
   * @throws BadRequestException as {@link #multipart()}, files apart
   */
  public Map<String, List<String>> multipart(Map<String, byte[]> files) {
    return Multipart.parse(header("Content-Type").orElse(""), body, files);
  }

  /** The value of the first header field of that name. */
  public Optional<String> header(String name) {
    return headers.first(name);
  }

  /** The method and path only: the rest may hold secrets. */
  @Override
  public String toString() {
    return method + " " + path;
  }
}
