package io.feedbridge.rsscloud;

/**
 * A call, or an answer to one, that cannot be read or asks for something impossible; the message is
 * the sentence of the fault that answers it.
 */
public final class BadRpcException extends RssCloudException {

  private final RpcProtocol.Blame blame;

  BadRpcException(String message) {
    this(RpcProtocol.Blame.CLIENT, message);
  }

  BadRpcException(RpcProtocol.Blame blame, String message) {
    super(message);
    this.blame = blame;
  }

  /** The party that the fault names as responsible. */
  public RpcProtocol.Blame blame() {
    return blame;
  }
}
