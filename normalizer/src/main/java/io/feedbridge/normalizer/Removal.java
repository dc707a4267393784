package io.feedbridge.normalizer;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A feed's statement that one of its entries was removed (RFC 6721).
 *
 * @param id the entry's own
 * @param when it was removed: a version of the entry that is no newer does not bring it back
 * @param source the feed that removed it, in a document over several feeds
 */
public record Removal(
    String id, Instant when, @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Source source) {

  /** The removal of an entry of the document's own feed. */
  public Removal(String id, Instant when) {
    this(id, when, null);
  }

  /** This removal in a document over several feeds. */
  public Removal withSource(Source of) {
    return new Removal(id, when, of);
  }
}
