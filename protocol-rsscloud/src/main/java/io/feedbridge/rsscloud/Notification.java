package io.feedbridge.rsscloud;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a cloud sends when a feed has changed: a form, or a call of the procedure that the
 * aggregator named, with the feed as its one parameter. Any 2xx is good, whatever its body ("the
 * return value is ignored"), unless a procedure answered by a fault.
 *
 * @param callback where to POST it
 * @param feedUrl the feed, as it was registered
 * @param protocol how
 * @param procedure what to call by xml-rpc or soap; means nothing to the others
 */
public record Notification(
    String callback, String feedUrl, CloudProtocol protocol, String procedure) {

  private static final String PARAMETER = "url";

  /** A form. */
  public Notification(String callback, String feedUrl) {
    this(callback, feedUrl, CloudProtocol.HTTP_POST, "");
  }

  /** What to POST, as {@link #contentType}. */
  public byte[] body() {
    return protocol
        .rpc()
        .map(rpc -> rpc.writeCall(call()))
        .orElseGet(() -> Form.parameter(PARAMETER, feedUrl).getBytes(StandardCharsets.UTF_8));
  }

  private RpcCall call() {
    RpcCall.Argument feed = new RpcCall.Argument(PARAMETER, new RpcValue.Text(feedUrl));
    return new RpcCall(procedure, List.of(feed));
  }

  /** The content type of the body. */
  public String contentType() {
    return protocol.rpc().isPresent() ? RpcProtocol.CONTENT_TYPE : RssCloud.FORM_CONTENT_TYPE;
  }

  /** The value of the {@code SOAPAction} header, with its quotes; empty where there is none. */
  public Optional<String> soapAction() {
    return protocol == CloudProtocol.SOAP
        ? Optional.of(RssCloud.soapAction(callback))
        : Optional.empty();
  }

  /**
   * What came back, if it says that the aggregator did not take it; empty if it did.
   *
   * @param status the HTTP status
   * @param answer the body, of which the caller may have read only a bounded beginning
   * @param contentType the header of the answer; null if there is none
   * @return a sentence for people, with hostile text in it
   */
  public Optional<String> refusal(int status, byte[] answer, @Nullable String contentType) {
    Optional<String> fault = fault(answer, contentType);
    if (status >= 200 && status <= 299 && fault.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of("HTTP " + status + fault.map(text -> ", a fault: " + text).orElse(""));
  }

  /** What is neither an answer nor a fault is a return value like any other, and ignored. */
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
