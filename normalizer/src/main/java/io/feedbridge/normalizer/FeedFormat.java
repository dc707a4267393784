package io.feedbridge.normalizer;

import java.net.URI;
import java.util.List;
import org.jdom2.Element;

/** One format of feed in XML: the only place that knows both its elements and the model. */
interface FeedFormat {
  /** Whether a document with this root is of the format. */
  boolean reads(Element root);

  /**
   * The feed of the document. An entry without an id has the empty one: ids are generated later,
   * the same way for all formats.
   */
  Feed read(Element root, Context context) throws FeedParseException;

  /**
   * The context in which a format is read.
   *
   * @param served how the document was served
   * @param base the base of the document's outermost relative URLs
   * @param repairs takes one sentence for each thing that was not as it should be
   */
  record Context(Served served, URI base, List<String> repairs) {
    Context(Served served, List<String> repairs) {
      this(served, served.base(), repairs);
    }

    /** The id of a feed that has none: where it was found. */
    String address() {
      return served.url().toString();
    }

    /** The entries that are read, within the bound. */
    List<Element> bounded(List<Element> entries) {
      if (entries.size() <= Limits.MAX_ENTRIES) {
        return entries;
      }
      repairs.add(
          "Of " + entries.size() + " entries the first " + Limits.MAX_ENTRIES + " were read.");
      return entries.subList(0, Limits.MAX_ENTRIES);
    }
  }
}
