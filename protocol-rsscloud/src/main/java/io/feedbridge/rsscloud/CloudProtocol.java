package io.feedbridge.rsscloud;

import java.util.Optional;

/** How a cloud is called, or calls back. The names on the wire are case-sensitive. */
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

  /** How procedures are called in it; empty for plain forms. */
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
