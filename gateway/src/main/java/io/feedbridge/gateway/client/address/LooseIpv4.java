package io.feedbridge.gateway.client.address;

import java.util.Locale;
import java.util.Optional;

/**
 * IPv4 addresses as C libraries and browsers read them (WHATWG URL §3.5): one to four numbers, each
 * decimal, octal or hexadecimal, the last of which fills the remaining bytes.
 */
final class LooseIpv4 {
  private static final int MAX_PARTS = 4;
  private static final int MAX_DIGITS = 32;
  private static final long OCTET = 256;
  private static final int HEX = 16;
  private static final int OCTAL = 8;
  private static final int DECIMAL = 10;

  private LooseIpv4() {}

  /** The usual spelling of the address; empty if the text is no address. */
  static Optional<String> parse(String written) {
    String text = written.endsWith(".") ? written.substring(0, written.length() - 1) : written;
    String[] parts = text.toLowerCase(Locale.ROOT).split("\\.", -1);
    if (parts.length > MAX_PARTS) {
      return Optional.empty();
    }
    long address = 0;
    try {
      for (int i = 0; i < parts.length; i++) {
        boolean last = i == parts.length - 1;
        long room = 1;
        for (int left = last ? MAX_PARTS - i : 1; left > 0; left--) {
          room *= OCTET;
        }
        long number = number(parts[i]);
        if (number >= room) {
          return Optional.empty();
        }
        address = address * room + number;
      }
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
    return Optional.of(
        "%d.%d.%d.%d"
            .formatted(address >> 24, address >> 16 & 0xff, address >> 8 & 0xff, address & 0xff));
  }

  private static long number(String part) {
    if (part.length() > MAX_DIGITS || part.startsWith("+") || part.startsWith("-")) {
      throw new NumberFormatException(part);
    }
    if (part.startsWith("0x")) {
      return part.length() == 2 ? 0 : Long.parseUnsignedLong(part.substring(2), HEX);
    }
    return part.startsWith("0") && part.length() > 1
        ? Long.parseUnsignedLong(part.substring(1), OCTAL)
        : Long.parseUnsignedLong(part, DECIMAL);
  }
}
