package io.feedbridge.gateway.web.stream;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.Page;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The activities that a request asks for by {@code feed=}, {@code kind=} and {@code text=}, as its
 * sender may see them.
 *
 * @param wanted of the activity as it is in the log
 * @param operator whether the sender may see all of it
 */
public record ActivityView(Predicate<Activity> wanted, boolean operator) {

  /** The names of the kinds. */
  public static final List<String> KINDS =
      Stream.of(Activity.Kind.values()).map(Answers::word).toList();

  /**
   * The view of a request.
   *
   * @param hidden the topics of feeds of which operators alone see activity
   * @throws BadFieldException if a parameter is wrong
   */
  public static ActivityView of(Request request, boolean operator, Predicate<String> hidden) {
    Predicate<Activity> wanted = activity -> operator || !hidden.test(activity.feed());
    Optional<String> feed = Page.parameter(request, "feed");
    if (feed.isPresent()) {
      wanted = wanted.and(activity -> activity.feed().equals(feed.get()));
    }
    Optional<String> kind = Page.parameter(request, "kind");
    if (kind.isPresent()) {
      if (!KINDS.contains(kind.get())) {
        throw new BadFieldException("kind", "it must be one of " + String.join(", ", KINDS));
      }
      wanted = wanted.and(activity -> Answers.word(activity.kind()).equals(kind.get()));
    }
    Optional<String> text = Page.parameter(request, "text");
    if (text.isPresent()) {
      String part = text.get().toLowerCase(Locale.ROOT);
      // A search must not find text that the sender is not shown.
      wanted = wanted.and(activity -> contains(operator ? activity : activity.forEveryone(), part));
    }
    return new ActivityView(wanted, operator);
  }

  /** The activity as it is shown; empty if it is not asked for, or not shown to the sender. */
  public Optional<Activity> of(Activity activity) {
    return Optional.of(activity).filter(wanted).map(one -> operator ? one : one.forEveryone());
  }

  private static boolean contains(Activity activity, String part) {
    Activity.Delivery delivery = activity.delivery();
    String path = delivery == null ? "" : delivery.path();
    return (activity.feed() + ' ' + activity.peer() + path + ' ' + activity.outcome())
        .toLowerCase(Locale.ROOT)
        .contains(part);
  }
}
