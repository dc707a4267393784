package io.feedbridge.gateway.vault;

import java.util.Base64;

/**
 * A secret as {@link Vault} encrypted it. Only the vault decrypts it, so that a sealed secret and a
 * plain secret are never mistaken for each other. Immutable.
 */
public final class Sealed {

  private final byte[] bytes;

  private Sealed(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A sealed secret of its stored bytes. */
  public static Sealed of(byte[] bytes) {
    return new Sealed(bytes.clone());
  }

  /**
   * A sealed secret of its stored text.
   *
   * @throws SealedException if the text is no base64
   */
  public static Sealed of(String text) {
    try {
      return new Sealed(Base64.getDecoder().decode(text));
    } catch (IllegalArgumentException notBase64) {
      throw new SealedException(notBase64);
    }
  }

  /** The bytes to store. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** The text to store, which is base64. */
  public String text() {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
