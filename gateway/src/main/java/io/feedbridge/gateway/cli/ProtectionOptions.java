package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.config.SettingsReader;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** The options of {@code serve} by which the gateway guards itself. */
final class ProtectionOptions {

  @Option(
      names = "--admin-token-file",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description = "The file in which the admin token is, in place of --admin-token.")
  private String adminTokenFile = "";

  @Option(
      names = "--key-file",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description =
          "The key that secrets in the store are encrypted with. It is made if it does not exist, and"
              + " must be backed up with the store: without it a store that has secrets is refused."
              + " Default: feedbridge-secrets.key in the data folder.")
  private String keyFile = "";

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description =
          "The certificate to serve HTTPS with, as PEM, with those that vouch for it behind it. When"
              + " the file changes, new connections get the new one. Without it HTTP is served.")
  private String tlsCert = "";

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description = "The private key of the certificate, as PEM, without a passphrase.")
  private String tlsKey = "";

  @Option(
      names = "--connections-per-address",
      paramLabel = "COUNT",
      defaultValue = "512",
      description =
          "How many connections one address may have open (of IPv6, one /64); further ones are"
              + " closed. It does not hold for proxies that are trusted.")
  private String connectionsPerAddress = "";

  SettingsReader.RawProtection raw() {
    return new SettingsReader.RawProtection(
        adminTokenFile, keyFile, tlsCert, tlsKey, connectionsPerAddress);
  }
}
