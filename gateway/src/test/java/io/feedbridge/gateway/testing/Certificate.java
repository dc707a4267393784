package io.feedbridge.gateway.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate that vouches for itself, by the JDK's keytool.
 *
 * @param server what a server uses that has it
 * @param trust what a client uses that trusts in it and in nothing else
 * @param certificate itself
 * @param key its private key
 */
public record Certificate(
    SSLContext server, TrustManager trust, X509Certificate certificate, PrivateKey key) {

  private static final char[] PASSWORD = "changeit".toCharArray();

  /**
   * A new one.
   *
   * @param folder for its files
   * @param hosts as keytool has it, such as {@code dns:feeds.test,ip:127.0.0.1}
   */
  public static Certificate of(Path folder, String hosts)
      throws IOException, InterruptedException, GeneralSecurityException {
    KeyStore keys = keys(folder, hosts);
    KeyManagerFactory keyManagers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keyManagers.init(keys, PASSWORD);
    SSLContext server = SSLContext.getInstance("TLS");
    server.init(keyManagers.getKeyManagers(), null, null);

    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("server", keys.getCertificate("server"));
    TrustManagerFactory trustManagers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trustManagers.init(trusted);
    return new Certificate(
        server,
        trustManagers.getTrustManagers()[0],
        (X509Certificate) keys.getCertificate("server"),
        (PrivateKey) keys.getKey("server", PASSWORD));
  }

  /** What a client uses that trusts in it and in nothing else. */
  public SSLContext client() throws GeneralSecurityException {
    SSLContext client = SSLContext.getInstance("TLS");
    client.init(null, new TrustManager[] {trust}, null);
    return client;
  }

  /** The certificate as PEM. */
  public String certificatePem() throws GeneralSecurityException {
    return pem("CERTIFICATE", certificate.getEncoded());
  }

  /** The private key as PEM, by PKCS #8. */
  public String keyPem() {
    return pem("PRIVATE KEY", key.getEncoded());
  }

  /** Any bytes as PEM. */
  public static String pem(String type, byte[] bytes) {
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(type, Base64.getMimeEncoder().encodeToString(bytes));
  }

  private static KeyStore keys(Path folder, String hosts)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve("server.p12");
    Path log = folder.resolve("keytool.log");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=test",
                "-ext",
                "san=" + hosts,
                "-validity",
                "3650",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).as(Files.readString(log)).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }
}
