package io.feedbridge.gateway.web.api.fields;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.Proxy;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FeedCredentials.Auth;
import io.feedbridge.gateway.store.feeds.FeedCredentials.Scheme;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a feed's credentials in a request: each is absent where it stays as it is, and null
 * in JSON where it is taken away. No message repeats a value.
 */
public record CredentialFields(
    @Nullable JsonNode auth,
    @Nullable JsonNode headers,
    @Nullable JsonNode userAgent,
    @Nullable JsonNode proxy) {

  /** Fields of {@code headers}. */
  public static final int MAX_HEADERS = 16;

  /** Bytes of all names and values together, as they are sent. */
  public static final int MAX_BYTES = 8 * 1024;

  private static final String AUTH = "auth";
  private static final String HEADERS = "headers";
  private static final String USER_AGENT = "userAgent";
  private static final String PROXY = "proxy";

  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Pattern VISIBLE = Pattern.compile("[!-~](?:[ -~]*[!-~])?");
  private static final Pattern BEARER = Pattern.compile("[!-~]+");
  private static final Pattern NO_CONTROLS = Pattern.compile("[^\\p{Cntrl}]*");

  /** Beside {@link Header#clientsOwn}: of the connection, conditional, or with a field here. */
  private static final Set<String> REFUSED =
      Set.of(
          "proxy-authorization",
          "proxy-authenticate",
          "proxy-connection",
          "if-match",
          "if-none-match",
          "if-modified-since",
          "if-unmodified-since",
          "if-range",
          "range",
          "accept",
          "content-type",
          "content-encoding",
          "user-agent",
          "authorization");

  /** Whether one is given. */
  public boolean isAny() {
    return auth != null || headers != null || userAgent != null || proxy != null;
  }

  /**
   * The credentials with these changes.
   *
   * @param addresses where a proxy may be, as far as its URL tells
   * @throws BadFieldException if a field is wrong
   */
  public FeedCredentials appliedTo(FeedCredentials before, AddressPolicy addresses) {
    FeedCredentials after =
        new FeedCredentials(
            auth == null ? before.auth() : auth(auth),
            headers == null ? before.headers() : headers(headers),
            userAgent == null ? before.userAgent() : userAgent(userAgent),
            proxy == null ? before.proxy() : proxy(proxy, addresses));
    String byProxy = after.proxy();
    int bytes =
        after.fields().entrySet().stream()
            .mapToInt(field -> field.getKey().length() + field.getValue().length())
            .sum();
    bytes += byProxy == null ? 0 : byProxy.length();
    if (bytes > MAX_BYTES) {
      String field =
          headers != null ? HEADERS : auth != null ? AUTH : proxy != null ? PROXY : USER_AGENT;
      throw new BadFieldException(
          field,
          "auth, headers, userAgent and proxy must have at most %,d bytes together"
              .formatted(MAX_BYTES));
    }
    return after;
  }

  private static @Nullable Auth auth(JsonNode given) {
    if (given.isNull()) {
      return null;
    }
    if (!given.isObject()) {
      throw new BadFieldException(AUTH, "it must be an object with a type, basic or bearer");
    }
    String type = given.path("type").asText();
    Set<String> names =
        switch (type) {
          case "basic" -> Set.of("type", "username", "password");
          case "bearer" -> Set.of("type", "token");
          default -> throw new BadFieldException(AUTH + ".type", "it must be basic or bearer");
        };
    given
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!names.contains(name)) {
                throw new BadFieldException(
                    AUTH, "it has the fields " + String.join(", ", new TreeSet<>(names)));
              }
            });
    if (type.equals("bearer")) {
      return new Auth(
          Scheme.BEARER,
          null,
          text(AUTH + ".token", given.get("token"), BEARER, "characters without spaces"));
    }
    String username =
        text(AUTH + ".username", given.get("username"), NO_CONTROLS, "no control characters");
    if (username.indexOf(':') >= 0) {
      throw new BadFieldException(AUTH + ".username", "it must have no colon");
    }
    return new Auth(
        Scheme.BASIC,
        username,
        text(AUTH + ".password", given.get("password"), NO_CONTROLS, "no control characters"));
  }

  private static Map<String, String> headers(JsonNode given) {
    Map<String, String> headers = new LinkedHashMap<>();
    if (given.isNull()) {
      return headers;
    }
    if (!given.isObject() || given.size() > MAX_HEADERS) {
      throw new BadFieldException(
          HEADERS, "it must be an object of at most %d names and values".formatted(MAX_HEADERS));
    }
    Set<String> names = new TreeSet<>();
    for (Map.Entry<String, JsonNode> field : given.properties()) {
      String name = field.getKey();
      String lower = name.toLowerCase(Locale.ROOT);
      if (!TOKEN.matcher(name).matches()) {
        throw new BadFieldException(HEADERS, "a name must be a token (RFC 9110)");
      }
      if (REFUSED.contains(lower) || Header.clientsOwn().contains(lower)) {
        throw new BadFieldException(HEADERS, "the gateway itself decides on " + name);
      }
      if (!names.add(lower)) {
        throw new BadFieldException(HEADERS, name + " is there twice");
      }
      headers.put(
          name,
          text(HEADERS + "." + name, field.getValue(), VISIBLE, "visible characters of ASCII"));
    }
    return headers;
  }

  private static @Nullable String userAgent(JsonNode given) {
    return given.isNull() ? null : text(USER_AGENT, given, VISIBLE, "visible characters of ASCII");
  }

  private static @Nullable String proxy(JsonNode given, AddressPolicy addresses) {
    if (given.isNull()) {
      return null;
    }
    Proxy proxy =
        Proxy.parse(given.isTextual() ? given.textValue() : "")
            .orElseThrow(
                () ->
                    new BadFieldException(
                        PROXY,
                        "it must be the URL of an http proxy: http://host:port or"
                            + " http://user:password@host:port"));
    if (addresses.refusal(Purpose.FETCH, proxy.target()).isPresent()) {
      throw new BadFieldException(
          PROXY,
          "its address or its port must not be called; the operator can allow a network"
              + " (--allow-fetch)");
    }
    return given.textValue();
  }

  private static String text(
      String field, @Nullable JsonNode given, Pattern form, String demanded) {
    if (given == null || !given.isTextual() || !form.matcher(given.textValue()).matches()) {
      throw new BadFieldException(field, "it must be a text of " + demanded);
    }
    return given.textValue();
  }

  /**
   * The credentials that a feed has, without any secret.
   *
   * @param headers the names
   * @param userAgent whether one is set
   * @param proxy whether one is set
   */
  public record Shown(
      @Nullable ShownAuth auth, List<String> headers, boolean userAgent, boolean proxy) {

    /** The credentials as they are shown. */
    public static Shown of(FeedCredentials credentials) {
      return new Shown(
          Optional.ofNullable(credentials.auth())
              .map(auth -> new ShownAuth(Answers.word(auth.scheme()), auth.username()))
              .orElse(null),
          List.copyOf(credentials.headers().keySet()),
          credentials.userAgent() != null,
          credentials.proxy() != null);
    }
  }

  /**
   * The credentials of {@code Authorization}, without password and token.
   *
   * @param type basic or bearer
   * @param username of basic
   */
  public record ShownAuth(String type, @Nullable String username) {}
}
