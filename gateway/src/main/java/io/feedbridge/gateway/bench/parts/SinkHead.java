package io.feedbridge.gateway.bench.parts;

import java.nio.charset.StandardCharsets;

/**
 * The head of one request, read with no more effort than the sink needs: it must cost far less than
 * the measured work.
 */
final class SinkHead {

  private static final int MAX = 4_096;
  private static final String CHALLENGE = "hub.challenge=";
  private static final String LENGTH = "content-length";
  private static final String EVENT = "feedbridge-event";
  private static final String SIGNATURE = "x-hub-signature";
  private static final String WEBHOOK_ID = "webhook-id";
  private static final String WEBHOOK_TIME = "webhook-timestamp";
  private static final String WEBHOOK_SIGNATURE = "webhook-signature";

  final byte[] bytes = new byte[MAX];
  int length;

  char sender;
  int subscription;
  int bodyLength;
  long event;

  /** Of a verification; empty in a delivery. */
  String challenge = "";

  String signature = "";
  String webhookId = "";
  String webhookTime = "";

  /** Takes one more byte; whether the head is complete by it. */
  boolean add(byte next) {
    if (length == MAX) {
      throw new IllegalStateException("a head of more than " + MAX + " bytes");
    }
    bytes[length++] = next;
    return next == '\n' && length >= 4 && bytes[length - 2] == '\r' && bytes[length - 3] == '\n';
  }

  void clear() {
    length = 0;
    bodyLength = 0;
    event = 0;
    challenge = "";
    signature = "";
    webhookId = "";
    webhookTime = "";
  }

  /**
   * {@code POST /s/123 HTTP/1.1} and the fields that matter; in a verification the challenge of its
   * query.
   */
  void parse() {
    int space = indexOf((byte) ' ', 0);
    sender = (char) bytes[space + 2];
    subscription = (int) number(space + 4);
    int line = indexOf((byte) '\n', space) + 1;
    if (bytes[0] == 'G') {
      challenge = challenge(text(space + 1, line));
      return;
    }
    while (line < length - 2) {
      int end = indexOf((byte) '\n', line);
      field(line, end - 1);
      line = end + 1;
    }
  }

  private static String challenge(String target) {
    int from = target.indexOf(CHALLENGE) + CHALLENGE.length();
    if (from < CHALLENGE.length()) {
      throw new IllegalStateException("this is no verification: " + target);
    }
    int to = from;
    while (target.charAt(to) != '&' && target.charAt(to) != ' ') {
      to++;
    }
    return target.substring(from, to);
  }

  private void field(int from, int to) {
    int colon = indexOf((byte) ':', from);
    int value = colon + 1;
    while (value < to && bytes[value] == ' ') {
      value++;
    }
    switch (colon - from) {
      case 10 -> {
        if (is(WEBHOOK_ID, from)) {
          webhookId = text(value, to);
          event = number(1 + value + webhookId.lastIndexOf('_'));
        }
      }
      case 14 -> {
        if (is(LENGTH, from)) {
          bodyLength = (int) number(value);
        }
      }
      case 15 -> {
        if (is(SIGNATURE, from)) {
          signature = text(value, to);
        }
      }
      case 16 -> {
        if (is(EVENT, from)) {
          event = number(value);
        }
      }
      case 17 -> {
        if (is(WEBHOOK_TIME, from)) {
          webhookTime = text(value, to);
        } else if (is(WEBHOOK_SIGNATURE, from)) {
          signature = text(value, to);
        }
      }
      default -> {}
    }
  }

  private boolean is(String name, int from) {
    for (int i = 0; i < name.length(); i++) {
      if ((bytes[from + i] | 0x20) != name.charAt(i) && bytes[from + i] != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private int indexOf(byte wanted, int from) {
    for (int i = from; i < length; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    throw new IllegalStateException("this is no head: " + text(0, Math.min(length, 80)));
  }

  private long number(int from) {
    long number = 0;
    for (int i = from; i < length && bytes[i] >= '0' && bytes[i] <= '9'; i++) {
      number = number * 10 + bytes[i] - '0';
    }
    return number;
  }

  private String text(int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
  }

  /** The whole head. */
  String text() {
    return text(0, length);
  }
}
