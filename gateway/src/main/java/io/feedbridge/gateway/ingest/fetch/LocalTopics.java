package io.feedbridge.gateway.ingest.fetch;

import java.util.Optional;

/**
 * Topics that are documents of the gateway itself: read in the process, not over the network (rule
 * L17), so that no exception for the gateway's own address is needed. Safe for use by several
 * threads.
 */
@FunctionalInterface
public interface LocalTopics {

  /** No topic is the gateway's own. */
  LocalTopics NONE = url -> Optional.empty();

  /** The document under a URL; empty if it is none of the gateway's. May block on storage. */
  Optional<Document> find(String url);

  /**
   * A document.
   *
   * @param bytes never changed
   */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  record Document(String contentType, byte[] bytes) {}
}
