package io.feedbridge.rsscloud;

/** The answer to a procedure call. */
public sealed interface RpcAnswer {

  /** The call succeeded. */
  record Result(RpcValue value) implements RpcAnswer {}

  /**
   * The call failed.
   *
   * @param code a number in XML-RPC, a name such as {@code SOAP-ENV:Client} in SOAP
   * @param message a human-readable sentence
   */
  record Fault(String code, String message) implements RpcAnswer {}
}
