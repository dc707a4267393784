package io.feedbridge.gateway.crash;

/** What the judge looks for. */
enum Rule {
  /** A publish answered 2xx did not reach a live subscription (rules L1, L3 to L5). */
  LOST,
  /** Something arrived that was not published, or for whom is no subscriber. */
  PHANTOM,
  /** Something of another topic or another subscriber arrived. */
  CROSSING,
  /** Events or entries went back, or came again under another id. */
  ORDER,
  /** A document differs from the one of the same id before (rule L12). */
  DOCUMENT,
  /** A signature is missing, wrong, or of a secret that was not valid then (rule L7). */
  SIGNATURE,
  /** More came twice than was in flight or past a checkpoint (rule L16). */
  DUPLICATES,
  /** A subscription, its lease or its secret did not outlive a restart. */
  LEASE,
  /** Somebody was tried again before its time, or with another document. */
  RETRY,
  /** One that wants one document at most in some time was sent another. */
  WINDOW,
  /** A start called others more than what was due. */
  BURST,
  /** The topic in Kafka is not the log: each event once, under an id of its own, in order. */
  TOPIC,
  /** The database is damaged. */
  CORRUPT
}
