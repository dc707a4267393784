package io.feedbridge.rsscloud;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The notification that a cloud sends when a feed has changed: a form, or a call of the procedure
 * that the aggregator named, with the feed as its one parameter. Any 2xx is good, whatever its body
 * ("the return value is ignored"), unless a procedure answered by a fault.
 *
 * @param callback the URL to POST the notification to
 * @param feedUrl the feed, as it was registered
 * @param protocol the protocol of the notification
 * @param procedure the procedure to call by xml-rpc or soap; means nothing to the others
 * @param namespace of the procedure by soap; empty where it has none
 */
public record Notification(
    String callback, String feedUrl, CloudProtocol protocol, String procedure, String namespace) {

  private static final String PARAMETER = "url";
  private static final String NO_ACTION = "\"\"";

  /** A form. */
  public Notification(String callback, String feedUrl) {
    this(callback, feedUrl, CloudProtocol.HTTP_POST, "");
  }

  /** A form, or a call of a procedure without a namespace. */
  public Notification(String callback, String feedUrl, CloudProtocol protocol, String procedure) {
    this(callback, feedUrl, protocol, procedure, "");
  }

  /** The same notification, sent to another URL. */
  Notification at(String url) {
    return new Notification(url, feedUrl, protocol, procedure, namespace);
  }

  /** The same notification, its procedure without a namespace. */
  Notification unqualified() {
    return new Notification(callback, feedUrl, protocol, procedure);
  }

  /** The body to POST, of type {@link #contentType}. */
  public byte[] body() {
    return protocol
        .rpc()
        .map(rpc -> rpc.writeCall(call()))
        .orElseGet(() -> Form.parameter(PARAMETER, feedUrl).getBytes(StandardCharsets.UTF_8));
  }

  private RpcCall call() {
    RpcCall.Argument feed = new RpcCall.Argument(PARAMETER, new RpcValue.Text(feedUrl));
    return new RpcCall(procedure, List.of(feed), namespace);
  }

  /** The content type of the body. */
  public String contentType() {
    return protocol.rpc().isPresent() ? RpcProtocol.CONTENT_TYPE : RssCloud.FORM_CONTENT_TYPE;
  }

  /**
   * The value of the {@code SOAPAction} header, with its quotes; empty where there is none. The
   * action of a notification is the empty string: receivers that compare the action with the
   * operation (SOAP::Lite) refuse the path of the URL, and take an empty one (SOAP 1.1 §6.1.1).
   */
  public Optional<String> soapAction() {
    return protocol == CloudProtocol.SOAP ? Optional.of(NO_ACTION) : Optional.empty();
  }

  /**
   * The reason for which the aggregator refused the notification; empty if it took it.
   *
   * @param status the HTTP status
   * @param answer the body, of which the caller may have read only a bounded beginning
   * @param contentType the header of the answer; null if there is none
   * @return a human-readable sentence, with hostile text in it
   */
  public Optional<String> refusal(int status, byte[] answer, @Nullable String contentType) {
    Optional<String> fault = fault(answer, contentType);
    if (status >= 200 && status <= 299 && fault.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of("HTTP " + status + fault.map(text -> ", a fault: " + text).orElse(""));
  }

  /** A body that is neither an answer nor a fault is a return value like any other, and ignored. */
  private Optional<String> fault(byte[] answer, @Nullable String contentType) {
    return protocol
        .rpc()
        .flatMap(rpc -> answer(rpc, answer, contentType))
        .flatMap(Notification::fault);
  }

  private static Optional<String> fault(RpcAnswer answer) {
    return answer instanceof RpcAnswer.Fault fault
        ? Optional.of(WebUrl.quoted(fault.message()))
        : Optional.empty();
  }

  /** The answer of the procedure; empty if it cannot be read as one. */
  static Optional<RpcAnswer> answer(RpcProtocol rpc, byte[] answer, @Nullable String contentType) {
    try {
      return Optional.of(rpc.readAnswer(answer, contentType));
    } catch (BadRpcException unreadable) {
      return Optional.empty();
    }
  }
}
