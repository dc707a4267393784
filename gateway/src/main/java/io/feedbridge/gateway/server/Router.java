package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.RefusalForm;
import io.feedbridge.gateway.server.message.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the route of a request by its path, then its method. A path without variables is found with
 * a slash at its end too, and wins over a pattern. A literal segment wins over a variable one. The
 * methods of a path are the methods of the one pattern that won. Immutable and safe for any number
 * of threads.
 */
public final class Router {
  /** One method of one path. */
  record Route(String pattern, RouteOptions options, Handler handler, RefusalForm refusals) {}

  /** The result of a look-up. */
  sealed interface Outcome {
    /** A route, and its variables. */
    record Found(Route route, Map<String, String> variables) implements Outcome {}

    /** No such path. */
    record NoSuchPath() implements Outcome {}

    /** The path has other methods (RFC 9110 §15.5.6 wants them listed). */
    record NoSuchMethod(String pattern, String allow) implements Outcome {}

    /** OPTIONS, which no route answers itself (RFC 9110 §9.3.7). */
    record Options(String pattern, String allow) implements Outcome {}
  }

  private record Resource(PathPattern pattern, Map<String, Route> methods, String allow) {}

  private final Map<String, Resource> exact;
  private final Map<Integer, List<Resource>> patternsBySegments;
  private final Set<String> methods;
  private final Map<String, RefusalForm> refusals;
  private final Optional<Route> elsewhere;

  private Router(Builder builder) {
    Map<String, Resource> exact = new HashMap<>();
    Map<Integer, List<Resource>> patterns = new HashMap<>();
    Set<String> methods = new TreeSet<>();
    List<Builder.Entry> entries = new ArrayList<>(builder.byShape.values());
    entries.sort((a, b) -> PathPattern.MOST_SPECIFIC_FIRST.compare(a.pattern(), b.pattern()));
    for (Builder.Entry entry : entries) {
      Set<String> allowed = allowed(entry.methods().keySet());
      methods.addAll(allowed);
      Resource resource =
          new Resource(entry.pattern(), Map.copyOf(entry.methods()), String.join(", ", allowed));
      if (entry.pattern().isExact()) {
        exact.put(entry.pattern().toString(), resource);
      } else {
        int segments = (int) entry.pattern().toString().chars().filter(c -> c == '/').count();
        patterns.computeIfAbsent(segments, any -> new ArrayList<>()).add(resource);
      }
    }
    this.exact = Map.copyOf(exact);
    this.patternsBySegments = Map.copyOf(patterns);
    this.methods = Set.copyOf(methods);
    this.refusals = Map.copyOf(builder.refusals);
    elsewhere = Optional.ofNullable(builder.elsewhere);
  }

  private static Set<String> allowed(Set<String> methods) {
    Set<String> allowed = new TreeSet<>(methods);
    allowed.add("OPTIONS");
    if (methods.contains("GET")) {
      allowed.add("HEAD");
    }
    return allowed;
  }

  /** All routes, each as its method and its pattern. */
  public Set<String> routes() {
    Set<String> all = new TreeSet<>();
    Stream.concat(
            exact.values().stream(), patternsBySegments.values().stream().flatMap(List::stream))
        .forEach(
            resource ->
                resource.methods().keySet().stream()
                    .map(method -> method + " " + resource.pattern())
                    .forEach(all::add));
    return all;
  }

  /** The answer at a path that has no route. */
  Response notFound(Target target) {
    return refusals(target).of(404, "there is nothing at this path");
  }

  /** How requests to a path are refused. */
  RefusalForm refusals(Target target) {
    return refusals(refusals, target.path());
  }

  private static RefusalForm refusals(Map<String, RefusalForm> forms, String path) {
    return forms.entrySet().stream()
        .filter(form -> path.startsWith(form.getKey()))
        .findFirst()
        .map(Map.Entry::getValue)
        .orElse(RefusalForm.TEXT);
  }

  /** A router to be. */
  public static Builder builder() {
    return new Builder();
  }

  Outcome find(String method, Target target) {
    Outcome here = findHere(method, target);
    return elsewhere.isPresent() && !(here instanceof Outcome.Found) && !target.isServerWide()
        ? new Outcome.Found(elsewhere.get(), Map.of())
        : here;
  }

  private Outcome findHere(String method, Target target) {
    if (target.isServerWide()) {
      return method.equals("OPTIONS")
          ? new Outcome.Options("*", String.join(", ", new TreeSet<>(methods)))
          : new Outcome.NoSuchPath();
    }
    // A segment with an encoded slash in it would look like two in the joined path.
    boolean plain = target.segments().stream().noneMatch(segment -> segment.contains("/"));
    Resource resource = plain ? exact(target.path()) : null;
    if (resource != null) {
      return outcome(resource, method, Map.of());
    }
    for (Resource candidate :
        patternsBySegments.getOrDefault(target.segments().size(), List.of())) {
      Optional<Map<String, String>> variables = candidate.pattern().match(target.segments());
      if (variables.isPresent()) {
        return outcome(candidate, method, variables.get());
      }
    }
    return new Outcome.NoSuchPath();
  }

  /** Clients are configured with or without a slash at the end of a path. */
  private @Nullable Resource exact(String path) {
    Resource resource = exact.get(path);
    return resource == null && path.endsWith("/") && path.length() > 2
        ? exact.get(path.substring(0, path.length() - 1))
        : resource;
  }

  private static Outcome outcome(Resource resource, String method, Map<String, String> variables) {
    @Nullable Route route = resource.methods().get(method);
    if (route == null && method.equals("HEAD")) {
      route = resource.methods().get("GET");
    }
    if (route != null) {
      return new Outcome.Found(route, variables);
    }
    String pattern = resource.pattern().toString();
    return method.equals("OPTIONS")
        ? new Outcome.Options(pattern, resource.allow())
        : new Outcome.NoSuchMethod(pattern, resource.allow());
  }

  /**
   * Whether any route at all has that method; the methods of RFC 9110 §9.3 and PATCH are known too.
   */
  boolean knows(String method) {
    return switch (method) {
      case "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH" -> true;
      default -> methods.contains(method);
    };
  }

  /** Collects routes. Not thread-safe. */
  public static final class Builder {
    private record Entry(PathPattern pattern, Map<String, Route> methods) {}

    private final Map<String, Entry> byShape = new LinkedHashMap<>();
    private final Map<String, RefusalForm> refusals = new LinkedHashMap<>();
    private @Nullable Route elsewhere;
    private UnaryOperator<Handler> around = UnaryOperator.identity();

    private Builder() {}

    /**
     * Has requests to paths that begin so refused in that form; to be called before their routes
     * are added.
     */
    public Builder refusals(String prefix, RefusalForm form) {
      refusals.put(prefix, form);
      return this;
    }

    /** A route that takes no body. */
    public Builder route(String method, String pathPattern, Handler handler) {
      return route(method, pathPattern, RouteOptions.NO_BODY, handler);
    }

    /**
     * A route.
     *
     * @param pathPattern a path in which a segment may hold one {@code {variable}}
     * @throws IllegalArgumentException at a malformed pattern, and where the same method and path
     *     are there already, even under other variable names
     */
    public Builder route(String method, String pathPattern, RouteOptions options, Handler handler) {
      PathPattern pattern = PathPattern.of(pathPattern);
      Entry entry =
          byShape.computeIfAbsent(pattern.shape(), any -> new Entry(pattern, new TreeMap<>()));
      boolean renamed = !entry.pattern().toString().equals(pathPattern);
      Route route =
          new Route(
              pathPattern, options, around.apply(handler), Router.refusals(refusals, pathPattern));
      if (renamed || entry.methods().putIfAbsent(method, route) != null) {
        throw new IllegalArgumentException(
            method + " " + pathPattern + " collides with the route " + entry.pattern());
      }
      return this;
    }

    /** Has the handler of each route that is added from now on called by another handler. */
    public Builder around(UnaryOperator<Handler> calling) {
      around = calling;
      return this;
    }

    /** Has a handler answer all requests for which there is no route. */
    public Builder elsewhere(RouteOptions options, Handler handler) {
      elsewhere = new Route("elsewhere", options, handler, RefusalForm.TEXT);
      return this;
    }

    /** The router of these routes. */
    public Router build() {
      return new Router(this);
    }
  }
}
