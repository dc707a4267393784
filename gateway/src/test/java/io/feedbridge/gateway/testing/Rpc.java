package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.rsscloud.BadRpcException;
import io.feedbridge.rsscloud.RpcAnswer;
import io.feedbridge.rsscloud.RpcCall;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.rsscloud.RpcValue;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** Procedure calls as the fakes and tests make and take them. */
public final class Rpc {

  private Rpc() {}

  /** Reads an answer that must be one. */
  public static RpcAnswer answer(RpcProtocol rpc, HttpResponse<String> reply) {
    try {
      return rpc.readAnswer(reply.body().getBytes(StandardCharsets.UTF_8), null);
    } catch (BadRpcException e) {
      throw new AssertionError("no answer: " + reply.statusCode() + " " + reply.body(), e);
    }
  }

  /** Reads a call that must be one, in whichever protocol. */
  public static RpcCall call(Request request) {
    try {
      return protocol(request).readCall(request.body(), null);
    } catch (BadRpcException e) {
      throw new AssertionError("no call", e);
    }
  }

  /** The protocol that a request is written in. */
  public static RpcProtocol protocol(Request request) {
    return RpcProtocol.of(request.body(), RpcProtocol.XML_RPC);
  }

  /** The answer true. */
  public static Response yes(Request request) {
    return value(request, new RpcValue.Bool(true));
  }

  /** An answer. */
  public static Response value(Request request, RpcValue value) {
    byte[] body = protocol(request).writeAnswer(call(request), value);
    return Response.of(200, RpcProtocol.CONTENT_TYPE, body);
  }

  /** A fault. */
  public static Response fault(Request request, String sentence) {
    RpcProtocol rpc = protocol(request);
    return Response.of(
        rpc.faultStatus(),
        RpcProtocol.CONTENT_TYPE,
        rpc.writeFault(RpcProtocol.Blame.CLIENT, sentence));
  }
}
