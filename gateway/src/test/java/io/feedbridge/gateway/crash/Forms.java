package io.feedbridge.gateway.crash;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;

/** Sends forms by POST. */
interface Forms {

  /** Sends a form given as alternating names and values; fails if it gets no whole answer. */
  CompletableFuture<HttpResponse<String>> send(String url, String... namesAndValues);
}
