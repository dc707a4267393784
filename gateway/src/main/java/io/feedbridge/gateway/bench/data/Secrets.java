package io.feedbridge.gateway.bench.data;

import java.util.Base64;
import java.util.HexFormat;

/** The secret of each subscription, which sink, references and store can all tell by its number. */
public final class Secrets {

  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  private Secrets() {}

  /** 32 characters. */
  public static String of(long subscription) {
    long mixed = (subscription + 1) * MIX;
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(mixed) + hex.toHexDigits(Long.rotateLeft(mixed, 29) * MIX);
  }

  /** The key of a webhook, as its operator writes it. */
  static String ofWebhook(long number) {
    return "whsec_"
        + Base64.getEncoder()
            .encodeToString(
                Secrets.of(number).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
  }
}
