package io.feedbridge.normalizer;

/** The element of an RSS item that an entry's id stands in, as far as a reader of RSS can tell. */
public enum IdForm {
  /** A {@code guid} with {@code isPermaLink="false"}. */
  GUID,
  /** A {@code guid} that is a permalink, which is the default of RSS 2.0. */
  PERMALINK,
  /** An {@code atom:id} beside no {@code guid}. */
  ATOM_ID
}
