package io.feedbridge.rsscloud;

import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A cloud's answer to a registration. A refusal is sent with status 200 too, since clients read the
 * body; so callers must read the body whatever the status.
 *
 * @param success whether the registration stands
 * @param msg the outcome, in a human-readable sentence
 */
public record NotifyResult(boolean success, String msg) {

  /** The most bytes of an answer that {@link #parse} reads. */
  public static final int MAX_BYTES = Answer.MAX_BYTES;

  private static final Pattern URL = Pattern.compile("https?://\\S+", Pattern.CASE_INSENSITIVE);

  private static final Pattern PROTOCOL =
      Pattern.compile("protocol|https?-post", Pattern.CASE_INSENSITIVE);

  private static final Pattern HANDLER =
      Pattern.compile("handler|notif|challenge|callback|test(ed|ing)", Pattern.CASE_INSENSITIVE);

  private static final String REGISTERED =
      "Registered. Register again within "
          + RssCloud.REGISTRATION_LIFETIME.toHours()
          + " hours to keep it.";

  /** The answer to a registration that was recorded in full. */
  public static NotifyResult registered() {
    return new NotifyResult(true, REGISTERED);
  }

  /** The answer to a registration of which nothing was recorded. */
  public static NotifyResult refused(String msg) {
    return new NotifyResult(false, msg);
  }

  /**
   * The answer to a registration whose feeds were checked one by one: a success only if no feed was
   * refused, else a message that names the refused feeds.
   *
   * @param refused the feeds that were not registered, each with the reason, in the order of the
   *     message
   */
  public static NotifyResult of(Map<String, String> refused) {
    if (refused.isEmpty()) {
      return registered();
    }
    return refused(
        refused.entrySet().stream()
            .map(feed -> feed.getKey() + ": " + feed.getValue())
            .collect(Collectors.joining("; ", "Not registered: ", "")));
  }

  /**
   * The result that a procedure's answer stands for: "true if it was able to do the registration,
   * false otherwise", or a fault.
   */
  public static NotifyResult of(RpcAnswer answer) {
    if (answer instanceof RpcAnswer.Fault fault) {
      return refused(fault.message().isEmpty() ? "a fault that says nothing" : fault.message());
    }
    String said = ((RpcAnswer.Result) answer).value().asText().orElse("").strip();
    return said.equalsIgnoreCase("true") || said.equals("1")
        ? registered()
        : refused(said.isEmpty() ? "an answer that is not true" : said);
  }

  /**
   * Whether it refuses the {@code protocol} of the registration, judged by its sentence. Such a
   * cloud may take another one.
   */
  public boolean refusesProtocol() {
    return !success && says(PROTOCOL);
  }

  /**
   * Whether it refuses because the test of the handler failed, judged by its sentence. Such a cloud
   * may have called the handler by another scheme than was meant.
   */
  public boolean refusesHandler() {
    return !success && says(HANDLER);
  }

  /** URLs are left out: a feed's URL may have any word. */
  private boolean says(Pattern words) {
    return words.matcher(URL.matcher(msg).replaceAll(" ")).find();
  }

  /** The answer as text/xml. */
  public String toXml() {
    return new Answer(success, msg).toXml("notifyResult");
  }

  /** The answer as application/json. */
  public String toJson() {
    return new Answer(success, msg).toJson();
  }

  /** The answer in the form that the caller prefers. */
  public String in(AnswerFormat format) {
    return format == AnswerFormat.JSON ? toJson() : toXml();
  }

  /**
   * Reads a cloud's answer in XML or JSON, told apart by its first character.
   *
   * @throws BadResultException if it is neither, says nothing of success, or is longer than {@link
   *     #MAX_BYTES}
   */
  public static NotifyResult parse(byte[] body) throws BadResultException {
    Answer answer = Answer.parse(body);
    return new NotifyResult(answer.success(), answer.msg());
  }
}
