package io.feedbridge.gateway.vault;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts secrets and decrypts them again: AES-GCM (NIST SP 800-38D) with a new random nonce each
 * time, and with the name of the secret's owner as associated data, so that a secret that was moved
 * elsewhere in the store does not open there. Safe for use by several threads.
 */
public final class Vault {

  /** The length of a key in bytes. */
  static final int KEY_BYTES = 32;

  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  /** The version of the sealed form, by which a later form can be told from this one. */
  private static final byte FORM = 1;

  /** Separates the names; no name contains it. */
  private static final char SEPARATOR = '\0';

  private final SecretKey key;
  private final SecureRandom random = new SecureRandom();

  /** To find the provider and to allocate takes longer than to decrypt a few bytes. */
  private final ThreadLocal<Cipher> ciphers = ThreadLocal.withInitial(Vault::cipher);

  /**
   * With a key.
   *
   * @param key of 32 bytes
   */
  public Vault(byte[] key) {
    if (key.length != KEY_BYTES) {
      throw new IllegalArgumentException("a key has " + KEY_BYTES + " bytes");
    }
    this.key = new SecretKeySpec(key, "AES");
  }

  private static Cipher cipher() {
    try {
      return Cipher.getInstance(CIPHER);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + CIPHER, e);
    }
  }

  /**
   * Encrypts a secret.
   *
   * @param owner the names of the secret's owner; the same names open it
   */
  public Sealed seal(String secret, String... owner) {
    return seal(secret.getBytes(UTF_8), owner);
  }

  /** {@link #seal} for bytes. */
  public Sealed seal(byte[] secret, String... owner) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    try {
      Cipher cipher = ciphers.get();
      cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(name(owner));
      ByteBuffer sealed =
          ByteBuffer.allocate(1 + NONCE_BYTES + cipher.getOutputSize(secret.length));
      sealed.put(FORM).put(nonce);
      cipher.doFinal(ByteBuffer.wrap(secret), sealed);
      return Sealed.of(sealed.array());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM encrypts anything", e);
    }
  }

  /**
   * Decrypts a secret.
   *
   * @throws SealedException if it was made with another key or for another owner, or is damaged
   */
  public String openText(Sealed secret, String... owner) {
    return new String(open(secret, owner), UTF_8);
  }

  /** {@link #openText} for a secret of bytes. */
  public byte[] open(Sealed secret, String... owner) {
    byte[] sealed = secret.bytes();
    if (sealed.length < 1 + NONCE_BYTES + TAG_BITS / Byte.SIZE || sealed[0] != FORM) {
      throw new SealedException(null);
    }
    try {
      Cipher cipher = ciphers.get();
      cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, sealed, 1, NONCE_BYTES));
      cipher.updateAAD(name(owner));
      return cipher.doFinal(sealed, 1 + NONCE_BYTES, sealed.length - 1 - NONCE_BYTES);
    } catch (GeneralSecurityException e) {
      throw new SealedException(e);
    }
  }

  private static byte[] name(String... owner) {
    return String.join(String.valueOf(SEPARATOR), owner).getBytes(UTF_8);
  }
}
