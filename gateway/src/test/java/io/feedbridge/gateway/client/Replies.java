package io.feedbridge.gateway.client;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Map;

/** Answers that no server gave, for fakes of a {@link Sender}. */
public final class Replies {

  private Replies() {}

  /** An answer without redirects. */
  public static Reply of(int status, String url, Map<String, String> headers, byte[] body) {
    HttpHeaders fields = new DefaultHttpHeaders();
    headers.forEach(fields::set);
    return new Reply(status, new Headers(fields), body, false, url, List.of(), null);
  }
}
