package io.feedbridge.gateway.server.limits;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.pkcs.RSAPrivateKey;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;

/** A certificate with its chain of issuers, and its private key, which belong together. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PemFiles(X509Certificate[] chain, PrivateKey key) {
  /** Longer files are none of these. */
  private static final int MAX_BYTES = 1_024 * 1_024;

  private static final String CERTIFICATE = "--tls-cert ";
  private static final String KEY = "--tls-key ";

  /** The two files as they are. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Text(Path certificateFile, byte[] certificate, Path keyFile, byte[] key) {

    /**
     * Reads the files. Blocks.
     *
     * @throws IOException if they cannot be read, with a message for the operator
     */
    static Text read(Path certificate, Path key) throws IOException {
      return new Text(
          certificate, bytes(CERTIFICATE + certificate, certificate), key, bytes(KEY + key, key));
    }

    /** By which it is seen whether the files have changed. */
    byte[] digest() {
      try {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(digest.digest(certificate));
        return digest.digest(key);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every JDK has SHA-256", e);
      }
    }

    /**
     * The certificates and the key in the files.
     *
     * @throws IOException if the files do not hold them, with a message for the operator
     */
    PemFiles parse() throws IOException {
      X509Certificate[] chain = chain(CERTIFICATE + certificateFile, certificate);
      return new PemFiles(chain, PemFiles.key(KEY + keyFile, key, chain[0].getPublicKey()));
    }
  }

  private static byte[] bytes(String what, Path file) throws IOException {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new IOException(what + " is no PEM file: it is too long");
      }
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new IOException(what + ": there is no such file", e);
    } catch (FileSystemException e) {
      throw new IOException(what + " cannot be read: " + e.getReason(), e);
    }
  }

  private static X509Certificate[] chain(String what, byte[] bytes) throws IOException {
    try {
      X509Certificate[] chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(bytes))
              .toArray(X509Certificate[]::new);
      if (chain.length == 0) {
        throw new IOException(what + ": there is no certificate in it (PEM, BEGIN CERTIFICATE)");
      }
      return chain;
    } catch (CertificateException e) {
      throw new IOException(what + ": there is no certificate in it that can be read", e);
    }
  }

  private static PrivateKey key(String what, byte[] bytes, PublicKey publicKey) throws IOException {
    PrivateKey key;
    try {
      key =
          KeyFactory.getInstance(publicKey.getAlgorithm())
              .generatePrivate(new PKCS8EncodedKeySpec(pkcs8(what, bytes, publicKey)));
    } catch (GeneralSecurityException e) {
      throw new IOException(what + ": this is not the certificate's kind of key", e);
    }
    if (!belongTogether(key, publicKey)) {
      throw new IOException(what + ": this is not the key of the certificate");
    }
    return key;
  }

  /** From the three forms in which keys are written without a passphrase. */
  private static byte[] pkcs8(String what, byte[] bytes, PublicKey publicKey) throws IOException {
    try (PemReader reader =
        new PemReader(new StringReader(new String(bytes, StandardCharsets.ISO_8859_1)))) {
      for (PemObject one = reader.readPemObject(); one != null; one = reader.readPemObject()) {
        switch (one.getType()) {
          case "PRIVATE KEY" -> {
            return one.getContent();
          }
          case "RSA PRIVATE KEY" -> {
            return pkcs8(publicKey, RSAPrivateKey.getInstance(one.getContent()));
          }
          case "EC PRIVATE KEY" -> {
            return pkcs8(publicKey, ECPrivateKey.getInstance(one.getContent()));
          }
          case "ENCRYPTED PRIVATE KEY" ->
              throw new IOException(
                  what + ": the key has a passphrase, take it off with: openssl pkey -in FILE");
          default -> {
            // Parameters of the curve, or certificates in front of the key.
          }
        }
      }
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new IOException(what + ": the key in it cannot be read", e);
    }
    throw new IOException(what + ": there is no private key in it (PEM, BEGIN PRIVATE KEY)");
  }

  /** The curve, which may be left out of the older form, is that of the public key. */
  private static byte[] pkcs8(PublicKey publicKey, ASN1Encodable key) throws IOException {
    return new PrivateKeyInfo(
            SubjectPublicKeyInfo.getInstance(publicKey.getEncoded()).getAlgorithm(), key)
        .getEncoded();
  }

  /**
   * Whether the public key verifies signatures of the private key, which the JDK does not check.
   */
  private static boolean belongTogether(PrivateKey key, PublicKey publicKey) {
    String algorithm =
        switch (publicKey.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> publicKey.getAlgorithm();
        };
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(publicKey.getEncoded());
      byte[] signed = signature.sign();
      signature.initVerify(publicKey);
      signature.update(publicKey.getEncoded());
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
