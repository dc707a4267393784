package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.List;
import org.jdom2.Element;

/** RSS 0.90 and 1.0: an {@code rdf:RDF} element around the channel and, beside it, the items. */
final class Rss1Format implements FeedFormat {
  @Override
  public boolean reads(Element root) {
    return root.getName().equals("RDF")
        && (Vocabulary.RSS.child(root, "channel") != null
            || Vocabulary.RSS.child(root, "item") != null
            || !odd(root).isEmpty()
            || (root.getChildren().isEmpty() && XmlDocument.isOfRss(root)));
  }

  /** Channel and items in a namespace that is no version's. */
  private static List<Element> odd(Element root) {
    return root.getChildren().stream()
        .filter(child -> Vocabulary.of(child) == Vocabulary.OTHER)
        .filter(child -> child.getName().equals("channel") || child.getName().equals("item"))
        .toList();
  }

  @Override
  public Feed read(Element root, Context context) throws FeedParseException {
    List<Element> odd = odd(root);
    if (!odd.isEmpty()) {
      odd.forEach(Vocabulary.RSS::adopt);
      context.repairs().add("The namespace of RSS 1.0 is another one than it should be.");
    }
    Element channel = Vocabulary.RSS.child(root, "channel");
    List<Element> items = new ArrayList<>(Vocabulary.RSS.children(root, "item"));
    if (channel != null) {
      items.addAll(Vocabulary.RSS.children(channel, "item"));
      // RSS 1.0 §5.4 has the image beside the channel, which only refers to it
      Element image = Vocabulary.RSS.child(root, "image");
      if (image != null && Vocabulary.RSS.child(image, "url") != null) {
        channel.addContent(image.detach());
      }
    } else {
      context.repairs().add("The RDF element has items and no channel.");
    }
    return new RssReader(channel == null ? root : channel, context)
        .read(context.bounded(NestedItems.flattened(items)));
  }
}
