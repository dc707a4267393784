package io.feedbridge.normalizer;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jdom2.Element;

/** ActivityStreams in Atom, with and without the trailing slash of its namespace. */
final class Activity {
  private Activity() {}

  static List<String> verbs(Element entry) {
    return texts(entry, "verb");
  }

  static List<String> objectTypes(Element element) {
    return texts(element, "object-type");
  }

  /**
   * Authors completed by {@code activity:actor}, in a feed by {@code activity:subject}: the actor
   * is the first author (ActivityStreams in Atom §3.1), or the only one.
   */
  static List<Author> withActor(List<Author> authors, Element element, URI base) {
    for (String name : List.of("actor", "subject")) {
      for (Element said : Vocabulary.ACTIVITY.children(element, name)) {
        Author actor = People.person(said, base);
        if (actor.isEmpty()) {
          continue;
        }
        if (authors.isEmpty()) {
          return List.of(actor);
        }
        List<Author> completed = new ArrayList<>(authors);
        if (authors.get(0).mayBe(actor)) {
          completed.set(0, authors.get(0).completedBy(actor));
        }
        return completed;
      }
    }
    return authors;
  }

  static List<ActivityObject> objects(Element entry, URI base) {
    return objects(entry, "object", base);
  }

  static List<ActivityObject> targets(Element entry, URI base) {
    return objects(entry, "target", base);
  }

  private static List<ActivityObject> objects(Element entry, String name, URI base) {
    List<ActivityObject> objects = new ArrayList<>();
    for (Element element : Vocabulary.ACTIVITY.children(entry, name)) {
      LinkList links = new LinkList(base);
      Atom.children(element, "link").forEach(links::addAtom);
      Element content = Atom.child(element, "content");
      content = content == null ? Atom.child(element, "summary") : content;
      if (objects.size() < Limits.MAX_VALUES) {
        objects.add(
            new ActivityObject(
                objectTypes(element),
                Atom.text(element, "id"),
                Atom.plain(element, "title"),
                Atom.date(element, "published"),
                Atom.date(element, "updated"),
                content == null ? null : Atom.content(content, base),
                People.atom(element, "author", base),
                Extensions.atomCategories(element),
                links.links()));
      }
    }
    return objects;
  }

  private static List<String> texts(Element parent, String name) {
    List<String> texts = new ArrayList<>();
    for (Element element : Vocabulary.ACTIVITY.children(parent, name)) {
      String text = Vocabulary.textOf(element);
      if (text != null && texts.size() < Limits.MAX_VALUES) {
        texts.add(text);
      }
    }
    return texts;
  }
}
