package io.feedbridge.rsscloud;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A procedure call to a cloud. A procedure is recognised by the last segment of its name, so that
 * {@code myCloud.rssPleaseNotify} is served too.
 */
public sealed interface CloudCall {

  /** The full names of the procedures, for {@code system.listMethods}. */
  List<String> PROCEDURES =
      List.of(
          "rssCloud.hello",
          "rssCloud.notify",
          "rssCloud.ping",
          "rssCloud.pleaseNotify",
          "rssCloud.saveRss",
          "system.listMethods",
          "system.multicall",
          "weblogUpdates.extendedPing",
          "weblogUpdates.ping",
          "xmlStorageSystem.requestNotification",
          "xmlStorageSystem.rssPleaseNotify");

  /** The position of the user among the arguments of a storage system's call, from 0. */
  int USER_PLACE = 5;

  /** Calls that one {@code system.multicall} may hold. */
  int MAX_CALLS = 100;

  /** {@code rssCloud.hello()}: a test whether the cloud answers; the answer is true. */
  record Hello() implements CloudCall {}

  /** {@code system.listMethods()}: answered with {@link #PROCEDURES}. */
  record ListMethods() implements CloudCall {}

  /** {@code rssCloud.pleaseNotify}: answered with true, or a fault. */
  record PleaseNotify(Registration registration) implements CloudCall {}

  /**
   * {@code xmlStorageSystem.requestNotification}, the name of {@code pleaseNotify} in the storage
   * system that clouds were first part of: answered with a struct of {@code flError} and {@code
   * message}.
   */
  record RequestNotification(Registration registration) implements CloudCall {}

  /**
   * {@code system.multicall}: answered with a list that has, for each call in order, a list of its
   * one value or the struct of a fault.
   *
   * @param calls at most {@link #MAX_CALLS}, none of them a multicall
   */
  record Multicall(List<RpcCall> calls) implements CloudCall {

    /** Copies the list. */
    public Multicall {
      calls = List.copyOf(calls);
    }

    /** The answer of a call that went well. */
    public static RpcValue result(RpcValue value) {
      return new RpcValue.Items(List.of(value));
    }

    /** The answer of a call that did not. */
    public static RpcValue fault(String sentence) {
      return XmlRpc.fault(sentence);
    }
  }

  /** {@code rssCloud.ping(url)}: answered with true. */
  record PingFeeds(Ping ping) implements CloudCall {}

  /** {@code weblogUpdates.ping} and {@code .extendedPing}: answered with a struct. */
  record PingWeblog(WeblogPing ping) implements CloudCall {}

  /**
   * {@code rssCloud.saveRss(user, password, rsstext)}: answered with the public URL of the feed.
   *
   * @param rss the text as bytes, in the charset that its prolog names
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  record SaveRss(String user, String password, byte[] rss) implements CloudCall {
    @Override
    public String toString() {
      return "SaveRss[" + user + ", " + rss.length + " bytes]";
    }
  }

  /** {@code rssCloud.notify(url)}: an upstream cloud says that a feed has changed. */
  record Notify(NotificationRequest notification) implements CloudCall {}

  /**
   * Reads a call.
   *
   * @param callerAddress the IP address that it came from
   * @throws BadRpcException if there is no such procedure, or its arguments are wrong, with the
   *     sentence of the fault to answer
   */
  static CloudCall parse(RpcCall call, String callerAddress) throws BadRpcException {
    try {
      return switch (call.lastSegment().toLowerCase(Locale.ROOT)) {
        case "hello" -> new Hello();
        case "listmethods" -> new ListMethods();
        case "pleasenotify", "rsspleasenotify" ->
            new PleaseNotify(Registration.parse(call, callerAddress));
        case "requestnotification" ->
            new RequestNotification(Registration.parse(withoutUser(call), callerAddress));
        case "multicall" -> multicall(call);
        case "ping" -> isWeblogPing(call) ? new PingWeblog(WeblogPing.of(call)) : ping(call);
        case "extendedping" -> new PingWeblog(WeblogPing.extended(call));
        case "saverss" -> saveRss(call);
        case "notify" -> notification(call);
        default ->
            throw new BadRpcException(
                "there is no procedure "
                    + WebUrl.quoted(call.procedure())
                    + " here: system.listMethods tells which there are");
      };
    } catch (BadRegistrationException | BadPingException e) {
      throw new BadRpcException(e.getMessage());
    }
  }

  /** The last argument of a storage system's call names the user; it is no domain. */
  private static RpcCall withoutUser(RpcCall call) {
    List<RpcCall.Argument> arguments = new ArrayList<>();
    for (RpcCall.Argument argument : call.arguments()) {
      boolean user =
          argument.name().equalsIgnoreCase("userinfo")
              || (arguments.size() >= USER_PLACE && argument.value() instanceof RpcValue.Fields);
      if (!user) {
        arguments.add(argument);
      }
    }
    return new RpcCall(call.procedure(), arguments, call.namespace());
  }

  private static CloudCall multicall(RpcCall call) throws BadRpcException {
    if (call.values().size() != 1 || !(call.values().get(0) instanceof RpcValue.Items items)) {
      throw new BadRpcException("a multicall has one parameter, the list of the calls");
    }
    if (items.values().size() > MAX_CALLS) {
      throw new BadRpcException(
          "%d calls are in one multicall, at most %d may be"
              .formatted(items.values().size(), MAX_CALLS));
    }
    List<RpcCall> calls = new ArrayList<>();
    for (RpcValue item : items.values()) {
      calls.add(oneOfMany(item));
    }
    return new Multicall(calls);
  }

  private static RpcCall oneOfMany(RpcValue item) throws BadRpcException {
    Map<String, RpcValue> fields =
        item instanceof RpcValue.Fields struct ? struct.values() : Map.of();
    String procedure =
        Optional.ofNullable(fields.get("methodName")).flatMap(RpcValue::asText).orElse("").strip();
    if (procedure.isEmpty()) {
      throw new BadRpcException("each call of a multicall is a struct of methodName and params");
    }
    List<RpcValue> params =
        fields.get("params") instanceof RpcValue.Items list ? list.values() : List.of();
    RpcCall call = RpcCall.of(procedure, params.toArray(RpcValue[]::new));
    if (call.lastSegment().equalsIgnoreCase("multicall")) {
      throw new BadRpcException("a multicall must not be in a multicall");
    }
    return call;
  }

  /** The ping of a cloud has one parameter, that of a ping service two or more. */
  private static boolean isWeblogPing(RpcCall call) {
    String name = call.procedure().toLowerCase(Locale.ROOT);
    return name.startsWith("weblogupdates.")
        || (!name.startsWith("rsscloud.") && call.arguments().size() > 1);
  }

  private static CloudCall ping(RpcCall call) throws BadPingException {
    return new PingFeeds(Ping.of(call.texts()));
  }

  private static CloudCall saveRss(RpcCall call) throws BadRpcException {
    List<String> texts = call.texts();
    if (texts.size() < 3) {
      throw new BadRpcException("to save a feed give user name, password and the text of the feed");
    }
    RpcValue text = call.values().get(2);
    byte[] rss =
        text instanceof RpcValue.Binary binary
            ? binary.bytes()
            : XmlText.withoutDeclaration(texts.get(2)).getBytes(StandardCharsets.UTF_8);
    return new SaveRss(texts.get(0), texts.get(1), rss);
  }

  private static CloudCall notification(RpcCall call) throws BadRpcException {
    List<String> texts = call.texts();
    if (texts.isEmpty() || !WebUrl.isValid(texts.get(0))) {
      throw new BadRpcException("a notification has the URL of a feed as its parameter");
    }
    return new Notify(new NotificationRequest(texts.get(0)));
  }
}
