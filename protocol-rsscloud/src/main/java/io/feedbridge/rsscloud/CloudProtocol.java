package io.feedbridge.rsscloud;

import java.util.Optional;

/** The protocol of a cloud's calls. The names on the wire are case-sensitive. */
public enum CloudProtocol {
  HTTP_POST("http-post"),
  HTTPS_POST("https-post"),
  XML_RPC("xml-rpc"),
  SOAP("soap");

  private final String wireName;

  CloudProtocol(String wireName) {
    this.wireName = wireName;
  }

  /** The name in a {@code <cloud>} element or a registration. */
  public String wireName() {
    return wireName;
  }

  /** Whether it is a plain form over HTTP or HTTPS, with no procedure named. */
  public boolean isRest() {
    return this == HTTP_POST || this == HTTPS_POST;
  }

  /** The protocol of procedure calls; empty for plain forms. */
  public Optional<RpcProtocol> rpc() {
    return switch (this) {
      case XML_RPC -> Optional.of(RpcProtocol.XML_RPC);
      case SOAP -> Optional.of(RpcProtocol.SOAP);
      case HTTP_POST, HTTPS_POST -> Optional.empty();
    };
  }

  /** The protocol of exactly this name, or empty. */
  public static Optional<CloudProtocol> ofWireName(String name) {
    for (CloudProtocol protocol : values()) {
      if (protocol.wireName.equals(name)) {
        return Optional.of(protocol);
      }
    }
    return Optional.empty();
  }
}
