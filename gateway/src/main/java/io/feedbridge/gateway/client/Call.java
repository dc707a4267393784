package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.client.address.Origin;
import io.feedbridge.gateway.client.address.Proxy;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A request to send.
 *
 * @param headers in the order to send; the client itself sets Host, Content-Length, and the fields
 *     named in {@link Header#clientsOwn}
 * @param body not copied: must not change until the call has ended. Empty for a GET
 * @param redirects how many redirects are followed, 0 to {@value #MAX_REDIRECTS}. With 0 a 3xx is a
 *     reply like any other
 * @param keepsMethod whether a POST that is redirected by 301, 302 or 303 stays a POST with its
 *     body; always so after 307 and 308, and for callbacks
 * @param maxBody bytes of the answer's body, after decompression
 * @param truncate whether a longer body is cut (and the connection closed) instead of failing as
 *     TOO_LARGE
 * @param acceptCompressed whether gzip and deflate are asked for and undone
 * @param acceptBrotli whether br is asked for too, which the caller undoes with {@link Brotli}
 * @param timeout for everything: waiting for a free connection, name lookup, redirects, the body
 * @param connectTimeout for one TCP connect, and again for the TLS handshake
 * @param wanted tells by the reply whether the receiver wanted a call that a stranger asked for;
 *     absent for all other calls
 * @param validators of an answer that the caller has; sent only to the URL that gave them
 * @param credentials fields for one origin alone; absent where there are none
 * @param mayFollow asked with the URL of a redirect's target before a request goes there, on an
 *     event loop: never blocks or throws. If not, the call fails as HELD_BACK
 * @param wantedBefore whether the receiver confirmed the call's subscription before
 * @param room for the bodies of its answers, redirects' included; where there is none the call
 *     fails as NO_ROOM
 */
@SuppressWarnings(
    "ArrayRecordComponent") // one body is shared by thousands of deliveries; copies would cost each
public record Call(
    Method method,
    Destination destination,
    List<Header> headers,
    byte[] body,
    Purpose purpose,
    int redirects,
    boolean keepsMethod,
    int maxBody,
    boolean truncate,
    boolean acceptCompressed,
    boolean acceptBrotli,
    Duration timeout,
    Duration connectTimeout,
    Room room,
    @Nullable Validators validators,
    @Nullable Credentials credentials,
    @Nullable Predicate<Reply> wanted,
    Predicate<String> mayFollow,
    boolean wantedBefore) {

  /**
   * The fields that make a request conditional (RFC 9110 §13.1), which mean something to one
   * resource only: another one that a redirect leads to may have an answer of its own under the
   * same {@code ETag} or date.
   *
   * @param url that gave them, as {@link Reply#finalUrl} has it
   */
  public record Validators(String url, List<Header> headers) {
    public Validators {
      headers = List.copyOf(headers);
    }
  }

  /**
   * Fields that one origin alone may see, and the proxy of requests to that origin: the fields take
   * the place of the call's own fields of their names in each request to that origin, and are in no
   * request to another one, wherever redirects lead.
   *
   * @param origin scheme, host and port
   * @param proxy by which requests to that origin go, and no others; absent for none
   */
  public record Credentials(Origin origin, List<Header> headers, @Nullable Proxy proxy) {
    public Credentials {
      headers = List.copyOf(headers);
    }

    /** The fields of a request at an origin, by the fields of the request before. */
    private List<Header> at(Origin asked, List<Header> sent, List<Header> usual) {
      List<Header> all = new ArrayList<>(sent);
      all.removeIf(this::isNamed);
      if (asked.equals(origin)) {
        all.addAll(headers);
      } else {
        usual.stream().filter(this::isNamed).forEach(all::add);
      }
      return all;
    }

    private boolean isNamed(Header field) {
      return headers.stream().anyMatch(one -> one.isNamed(field.name()));
    }
  }

  /** The most redirects that a call may follow. */
  public static final int MAX_REDIRECTS = 5;

  private static final int DEFAULT_MAX_BODY = 64 * 1024;
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** The methods in use between hubs, clouds, publishers and subscribers. */
  public enum Method {
    GET,
    POST,
    PUT,
    OPTIONS
  }

  /** Refuses programming errors with an IllegalArgumentException; a bad URL is not one. */
  public Call {
    headers = List.copyOf(headers);
    if (method == Method.GET && body.length > 0) {
      throw new IllegalArgumentException("A GET has no body");
    }
    if (redirects < 0 || redirects > MAX_REDIRECTS) {
      throw new IllegalArgumentException("redirects must be 0 to " + MAX_REDIRECTS);
    }
    if (maxBody < 0) {
      throw new IllegalArgumentException("maxBody must not be negative");
    }
    if (!isPositive(timeout) || !isPositive(connectTimeout)) {
      throw new IllegalArgumentException("Timeouts must be positive");
    }
  }

  /**
   * The fields of a request: the fields for any URL, the credentials of its origin, and the
   * validators of its URL.
   *
   * @param sent the call's own fields, or the fields of the request that was redirected
   */
  List<Header> headersAt(Target target, List<Header> sent) {
    List<Header> here = credentials == null ? sent : credentials.at(target.origin(), sent, headers);
    if (validators == null || !validators.url.equals(target.url())) {
      return here;
    }
    List<Header> all = new ArrayList<>(here);
    all.addAll(validators.headers);
    return all;
  }

  /** The proxy of a request; absent where it goes to its origin directly. */
  @Nullable Proxy proxyAt(Target target) {
    return credentials != null && credentials.origin.equals(target.origin())
        ? credentials.proxy
        : null;
  }

  /** Where to. */
  public String url() {
    return destination.url();
  }

  /** This call with one more header field. */
  public Call with(Header header) {
    List<Header> all = new ArrayList<>(headers);
    all.add(header);
    return new Call(
        method,
        destination,
        all,
        body,
        purpose,
        redirects,
        keepsMethod,
        maxBody,
        truncate,
        acceptCompressed,
        acceptBrotli,
        timeout,
        connectTimeout,
        room,
        validators,
        credentials,
        wanted,
        mayFollow,
        wantedBefore);
  }

  /**
   * A GET of the URL. The builder's defaults are the bounds of a delivery: 10 s, 64 KiB of the
   * answer's body (the rest is cut), no redirects.
   */
  public static Builder get(String url, Purpose purpose) {
    return new Builder(Method.GET, new Destination(url), purpose, new byte[0]);
  }

  /** A POST to the URL. See {@link #get} for the defaults. */
  public static Builder post(String url, Purpose purpose, byte[] body) {
    return post(new Destination(url), purpose, body);
  }

  /** A POST to somewhere that is called often. See {@link #get} for the defaults. */
  public static Builder post(Destination destination, Purpose purpose, byte[] body) {
    return of(Method.POST, destination, purpose, body);
  }

  /** A call by any method; a GET has no body. */
  public static Builder of(Method method, Destination destination, Purpose purpose, byte[] body) {
    return new Builder(method, destination, purpose, body);
  }

  private static boolean isPositive(Duration span) {
    return !span.isNegative() && !span.isZero();
  }

  /** Collects a call's parts; not thread-safe. */
  public static final class Builder {
    private final Method method;
    private final Destination destination;
    private final Purpose purpose;
    private final byte[] body;
    private final List<Header> headers = new ArrayList<>();
    private int redirects;
    private boolean keepsMethod;
    private int maxBody = DEFAULT_MAX_BODY;
    private boolean truncate = true;
    private boolean acceptCompressed;
    private boolean acceptBrotli;
    private Duration timeout = DEFAULT_TIMEOUT;
    private Duration connectTimeout = DEFAULT_CONNECT_TIMEOUT;
    private Room room = Room.UNBOUNDED;
    private @Nullable Validators validators;
    private @Nullable Credentials credentials;
    private @Nullable Predicate<Reply> wanted;
    private Predicate<String> mayFollow = url -> true;
    private boolean wantedBefore;

    private Builder(Method method, Destination destination, Purpose purpose, byte[] body) {
      this.method = method;
      this.destination = destination;
      this.purpose = purpose;
      this.body = body;
    }

    /** Adds a header; throws IllegalArgumentException as {@link Header} does. */
    public Builder header(String name, String value) {
      return header(new Header(name, value));
    }

    /** Adds a header. */
    public Builder header(Header header) {
      headers.add(header);
      return this;
    }

    /**
     * Makes the request to one URL conditional, be it the first or one that a redirect leads to.
     */
    public Builder validators(Validators known) {
      validators = known;
      return this;
    }

    /** Adds fields for one origin alone. */
    public Builder credentials(Credentials given) {
      credentials = given;
      return this;
    }

    /** Follows up to so many redirects, at most {@value #MAX_REDIRECTS}. */
    public Builder redirects(int most) {
      redirects = most;
      return this;
    }

    /** Follows redirects to URLs alone that the predicate admits. */
    public Builder mayFollow(Predicate<String> admitted) {
      mayFollow = admitted;
      return this;
    }

    /** Keeps a POST and its body through every redirect. */
    public Builder keepsMethod() {
      keepsMethod = true;
      return this;
    }

    /** Cuts the body after so many bytes. */
    public Builder truncateBodyAt(int bytes) {
      maxBody = bytes;
      truncate = true;
      return this;
    }

    /** Fails as TOO_LARGE if the body has more than so many bytes. */
    public Builder refuseBodyOver(int bytes) {
      maxBody = bytes;
      truncate = false;
      return this;
    }

    /** Asks for gzip or deflate; the reply's body is decompressed. */
    public Builder acceptCompressed() {
      acceptCompressed = true;
      return this;
    }

    /** Asks for gzip, deflate and br; the caller undoes br with {@link Brotli}. */
    public Builder acceptBrotli() {
      acceptBrotli = true;
      return acceptCompressed();
    }

    /** Bounds the whole call. */
    public Builder timeout(Duration span) {
      timeout = span;
      return this;
    }

    /** Bounds one TCP connect, and one TLS handshake. */
    public Builder connectTimeout(Duration span) {
      connectTimeout = span;
      return this;
    }

    /** Holds the bodies of answers in this room. */
    public Builder in(Room held) {
      room = held;
      return this;
    }

    /**
     * Marks a call that a stranger asked for. The call counts as unwanted until a reply shows that
     * the receiver wants it (see {@link Gate}).
     */
    public Builder unlessWanted(Predicate<Reply> shown) {
      wanted = shown;
      return this;
    }

    /** Marks a renewal: the receiver confirmed the call's subscription before. */
    public Builder wantedBefore(boolean before) {
      wantedBefore = before;
      return this;
    }

    /** The call; throws IllegalArgumentException as {@link Call} does. */
    public Call build() {
      return new Call(
          method,
          destination,
          headers,
          body,
          purpose,
          redirects,
          keepsMethod,
          maxBody,
          truncate,
          acceptCompressed,
          acceptBrotli,
          timeout,
          connectTimeout,
          room,
          validators,
          credentials,
          wanted,
          mayFollow,
          wantedBefore);
    }
  }
}
