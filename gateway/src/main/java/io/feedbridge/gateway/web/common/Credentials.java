package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.server.message.Request;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A name and a secret as a request shows them: in {@code Authorization}, by HTTP Basic (RFC 7617)
 * or as a bearer token, which has no name; or as Superfeedr's clients do, in base64 in the query's
 * {@code authorization}, which then counts alone. The hub reads one in a form as one in the query.
 *
 * @param login empty where there is none
 */
@SuppressWarnings("ArrayRecordComponent") // hashed, never compared
public record Credentials(String login, byte[] secret) {

  /** The name of the query's parameter. */
  public static final String PARAMETER = "authorization";

  private static final Pattern LINE_BREAK = Pattern.compile("[\\r\\n]+");
  private static final String HEADER = "Authorization";

  /** Stands for credentials that cannot be read; no user has these. */
  private static final Credentials UNREADABLE = new Credentials("", new byte[0]);

  /** The credentials of a request; empty if it shows none at all. */
  public static Optional<Credentials> of(Request request) {
    List<String> inQuery = request.query().getOrDefault(PARAMETER, List.of());
    if (!inQuery.isEmpty()) {
      return Optional.of(inQuery.size() == 1 ? basic(inQuery.get(0)) : UNREADABLE);
    }
    return inHeader(request);
  }

  /** The request with its form's credentials added to the query's own. */
  public static Request withForm(Request request, Map<String, List<String>> form) {
    List<String> inForm = form.getOrDefault(PARAMETER, List.of());
    if (inForm.isEmpty()) {
      return request;
    }
    Map<String, List<String>> query = new LinkedHashMap<>(request.query());
    List<String> all = new ArrayList<>(query.getOrDefault(PARAMETER, List.of()));
    all.addAll(inForm);
    query.put(PARAMETER, all.stream().distinct().toList());
    return request.withQuery(query);
  }

  /** The credentials in the header alone. */
  static Optional<Credentials> inHeader(Request request) {
    List<String> values = request.headers().all(HEADER);
    if (values.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(values.size() == 1 ? header(values.get(0)) : UNREADABLE);
  }

  /** Whether they are where no browser puts them by itself. */
  public static boolean areInQuery(Request request) {
    return request.query().containsKey(PARAMETER);
  }

  private static Credentials header(String value) {
    String[] schemeAndRest = value.split(" +", 2);
    if (schemeAndRest.length < 2) {
      return UNREADABLE;
    }
    String rest = schemeAndRest[1].strip();
    return switch (schemeAndRest[0].toLowerCase(Locale.ROOT)) {
      case "bearer" -> new Credentials("", rest.getBytes(StandardCharsets.UTF_8));
      case "basic" -> basic(rest);
      default -> UNREADABLE;
    };
  }

  /** The secret stands behind the first colon (RFC 7617 §2). */
  private static Credentials basic(String encoded) {
    byte[] decoded;
    try {
      // Ruby's encoder breaks lines after 60 characters. A plus sign that was not percent-encoded
      // came out as a space.
      String oneLine = LINE_BREAK.matcher(encoded).replaceAll("");
      decoded = Base64.getDecoder().decode(oneLine.replace(' ', '+'));
    } catch (IllegalArgumentException notBase64) {
      return UNREADABLE;
    }
    for (int i = 0; i < decoded.length; i++) {
      if (decoded[i] == ':') {
        return new Credentials(
            new String(decoded, 0, i, StandardCharsets.UTF_8),
            Arrays.copyOfRange(decoded, i + 1, decoded.length));
      }
    }
    return UNREADABLE;
  }

  @Override
  public String toString() {
    return "Credentials[login=" + login + ']';
  }
}
