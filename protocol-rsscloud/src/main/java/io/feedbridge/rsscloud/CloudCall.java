package io.feedbridge.rsscloud;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * What can be asked of a cloud by a procedure call. Procedures are told by the last segment of
 * their name, so that {@code myCloud.rssPleaseNotify} is served too.
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
          "weblogUpdates.extendedPing",
          "weblogUpdates.ping",
          "xmlStorageSystem.rssPleaseNotify");

  /** {@code rssCloud.hello()}: whether anybody is there; answered with true. */
  record Hello() implements CloudCall {}

  /** {@code system.listMethods()}: answered with {@link #PROCEDURES}. */
  record ListMethods() implements CloudCall {}

  /** {@code rssCloud.pleaseNotify}: answered with true, or a fault. */
  record PleaseNotify(Registration registration) implements CloudCall {}

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
        case "ping" -> isWeblogPing(call) ? new PingWeblog(WeblogPing.of(call)) : ping(call);
        case "extendedping" -> new PingWeblog(WeblogPing.of(call));
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
