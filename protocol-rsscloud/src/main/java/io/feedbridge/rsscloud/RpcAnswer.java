package io.feedbridge.rsscloud;

/** The answer to a procedure call. */
public sealed interface RpcAnswer {

  /** It was done. */
  record Result(RpcValue value) implements RpcAnswer {}

  /**
   * It was not.
   *
   * @param code a number in XML-RPC, a name such as {@code SOAP-ENV:Client} in SOAP
   * @param message for people
   */
  record Fault(String code, String message) implements RpcAnswer {}
}
