package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.websub.VerifyToken;
import java.net.URI;

/**
 * The URLs and tokens that upstream hubs and clouds are given.
 *
 * @param publicUrl the base of every URL handed to others, without a trailing slash
 * @param key of the verify tokens
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record UpstreamUrls(URI publicUrl, byte[] key) {

  /** The callback of an upstream subscription, which only its endpoint is told. */
  String callback(UpstreamSubscription following) {
    return publicUrl + local(following);
  }

  /** The callback's path as the outside sees it, a path of the public URL's own included. */
  String callbackPath(UpstreamSubscription following) {
    String base = publicUrl.getRawPath();
    return (base == null ? "" : base) + local(following);
  }

  private static String local(UpstreamSubscription following) {
    String kind = following.kind() == UpstreamSubscription.Kind.WEBSUB ? "websub" : "rsscloud";
    return "/callback/" + kind + "/" + following.token();
  }

  String verifyToken(UpstreamSubscription following) {
    return VerifyToken.of(key, following.topic());
  }

  @Override
  public String toString() {
    return "UpstreamUrls[" + publicUrl + "]";
  }
}
