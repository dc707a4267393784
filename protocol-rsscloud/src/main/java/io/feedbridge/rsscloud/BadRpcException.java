package io.feedbridge.rsscloud;

/**
 * A call, or an answer to one, that cannot be read or asks for something impossible; the message is
 * the sentence of the fault that answers it.
 */
public final class BadRpcException extends RssCloudException {

  BadRpcException(String message) {
    super(message);
  }
}
