package io.feedbridge.rsscloud;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A cloud's answer to a ping, sent with status 200 also when it is a refusal.
 *
 * @param success whether the ping was taken
 * @param msg the outcome, in a human-readable sentence
 */
public record PingResult(boolean success, String msg) {

  /** The message that clients look for, also for a feed without subscribers. */
  public static final String THANKS = "Thanks for the ping.";

  /** The answer to a ping that was taken. */
  public static PingResult thanks() {
    return new PingResult(true, THANKS);
  }

  /** The answer to a ping of feeds that have no subscriber here: none of them is fetched. */
  public static PingResult unfollowed(List<String> feeds) {
    return new PingResult(
        true,
        THANKS
            + " No subscriber here follows "
            + String.join(", ", feeds)
            + (feeds.size() == 1 ? ": it was not fetched." : ": they were not fetched."));
  }

  /**
   * The answer to a ping whose fetch has failed.
   *
   * @param unreadable the feeds that could not be read, each with the reason, in the order to tell
   */
  public static PingResult unreadable(Map<String, String> unreadable) {
    return new PingResult(
        false,
        unreadable.entrySet().stream()
            .map(feed -> feed.getKey() + " could not be read: " + feed.getValue())
            .collect(Collectors.joining("; ")));
  }

  /**
   * The answer to a ping whose fetch comes later.
   *
   * @param later the feeds that are fetched later, each with the time and the reason, in the order
   *     to tell
   */
  public static PingResult later(Map<String, String> later) {
    return new PingResult(
        true,
        later.entrySet().stream()
            .map(feed -> feed.getKey() + " is fetched " + feed.getValue() + ".")
            .collect(Collectors.joining(" ", THANKS + " ", "")));
  }

  /** The answer to a ping that says nothing useful. */
  public static PingResult refused(String msg) {
    return new PingResult(false, msg);
  }

  /** The answer as text/xml. */
  public String toXml() {
    return new Answer(success, msg).toXml("result");
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
   * Reads a cloud's answer in XML or JSON.
   *
   * @throws BadResultException if it is neither, says nothing of success, or is longer than {@link
   *     NotifyResult#MAX_BYTES}
   */
  public static PingResult parse(byte[] body) throws BadResultException {
    Answer answer = Answer.parse(body);
    return new PingResult(answer.success(), answer.msg());
  }
}
