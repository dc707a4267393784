package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.List;
import org.jdom2.Element;

/** RSS 0.91 to 2.0: an {@code rss} element around one channel around the items. */
final class Rss2Format implements FeedFormat {
  @Override
  public boolean reads(Element root) {
    return root.getName().equalsIgnoreCase("rss");
  }

  @Override
  public Feed read(Element root, Context context) throws FeedParseException {
    if (Vocabulary.of(root) != Vocabulary.RSS) {
      Vocabulary.RSS.adopt(root);
    }
    Element channel = Vocabulary.RSS.child(root, "channel");
    List<Element> items = new ArrayList<>();
    if (channel != null) {
      items.addAll(Vocabulary.RSS.children(channel, "item"));
    }
    items.addAll(Vocabulary.RSS.children(root, "item"));
    if (channel == null) {
      context.repairs().add("The rss element has no channel.");
    }
    return new RssReader(channel == null ? root : channel, context)
        .read(context.bounded(NestedItems.flattened(items)));
  }
}
