package io.feedbridge.websub;

import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The four methods of signing a delivery (WebSub §7.1). */
public enum SignatureMethod {
  SHA1("sha1", "HmacSHA1", 20),
  SHA256("sha256", "HmacSHA256", 32),
  SHA384("sha384", "HmacSHA384", 48),
  SHA512("sha512", "HmacSHA512", 64);

  private final String value;
  private final String algorithm;
  private final int macLength;

  /** Never used but to be cloned: the search through the providers takes longer than to sign. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final Mac fresh;

  SignatureMethod(String value, String algorithm, int macLength) {
    this.value = value;
    this.algorithm = algorithm;
    this.macLength = macLength;
    try {
      fresh = Mac.getInstance(algorithm);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java runtime has no " + algorithm, e);
    }
  }

  /** The name on the wire, such as {@code sha256}. */
  public String value() {
    return value;
  }

  /** The method of that name, in either case. */
  public static Optional<SignatureMethod> of(String value) {
    for (SignatureMethod method : values()) {
      if (method.value.equalsIgnoreCase(value)) {
        return Optional.of(method);
      }
    }
    return Optional.empty();
  }

  int hexLength() {
    return 2 * macLength;
  }

  byte[] mac(byte[] key, byte[] message) {
    try {
      Mac mac = (Mac) fresh.clone();
      mac.init(new SecretKeySpec(key, algorithm));
      return mac.doFinal(message);
    } catch (GeneralSecurityException | CloneNotSupportedException e) {
      throw new IllegalStateException("This Java runtime has no " + algorithm, e);
    }
  }
}
