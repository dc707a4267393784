package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.normalizer.BadSelectionException;
import io.feedbridge.normalizer.SelectableDocument;
import io.feedbridge.normalizer.Selection;
import io.feedbridge.websub.TopicUrl;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of one fetch, for the document as a whole and for each topic that selects a part of
 * it. The document is read once for all of its parts. For one thread.
 */
final class Parts {

  private final FetchResult whole;
  private @Nullable SelectableDocument document;

  /** Of a document that was fetched, or of the failure to fetch it. */
  Parts(FetchResult whole) {
    this.whole = whole;
  }

  /** The whole document. */
  FetchResult whole() {
    return whole;
  }

  /** The result for a topic: the fetch of a topic whose part cannot be selected has failed. */
  FetchResult of(String topic) {
    Optional<String> selection = TopicUrl.selection(topic);
    if (selection.isEmpty() || !(whole instanceof FetchResult.Fresh fresh)) {
      return whole;
    }
    try {
      return fresh.of(in(fresh).select(Selection.parse(selection.get())));
    } catch (BadSelectionException e) {
      return new FetchResult.Failed(fresh.code(), e.reason(), Optional.empty(), fresh.way());
    }
  }

  private SelectableDocument in(FetchResult.Fresh fresh) {
    SelectableDocument read = document;
    if (read == null) {
      read = new SelectableDocument(fresh.body(), fresh.served());
      document = read;
    }
    return read;
  }
}
