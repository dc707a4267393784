package io.feedbridge.gateway.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The classes whose objects a ping, a delivery or a registration meets on its way through the
 * gateway. Values (records, enums, errors) and functions without an object do not count.
 *
 * <p>A helper is a class that its package keeps to itself and that calls reach through one other
 * class of the package alone: a reader of that class finds it beside it.
 */
final class Way {

  /** In the order in which they are met. */
  private final Map<String, Boolean> met = new LinkedHashMap<>();

  private final Map<String, Set<String>> callees = new HashMap<>();
  private final Set<String> begins = new LinkedHashSet<>();
  private final JavaClasses classes;

  /**
   * Of calls in their order.
   *
   * @param carriers packages and classes whose threads carry it; all that they call is on the way,
   *     and timers and followers of the log, which run at the same time, are not
   * @param closed packages that are not on it, nor what they call
   */
  Way(
      JavaClasses classes,
      List<CallTrace.Call> calls,
      Collection<String> carriers,
      Collection<String> closed) {
    this.classes = classes;
    for (CallTrace.Call call : calls) {
      int frames = call.callers().size();
      if (!isIn(frames == 0 ? call.to() : call.callers().get(frames - 1), carriers)
          || isIn(call.to(), closed)
          || call.callers().stream().anyMatch(one -> isIn(one, closed))) {
        continue;
      }
      boolean known = met.containsKey(call.to());
      met.merge(
          call.to(),
          call.of() != null && !isValue(call.of()) && !isValue(type(call.to()).getName()),
          Boolean::logicalOr);
      if (!call.callers().isEmpty()) {
        callees
            .computeIfAbsent(call.callers().get(0), from -> new LinkedHashSet<>())
            .add(call.to());
      } else if (!known) {
        begins.add(call.to());
      }
    }
  }

  static boolean isIn(String name, Collection<String> rooms) {
    return rooms.stream().anyMatch(room -> name.equals(room) || name.startsWith(room + "."));
  }

  private JavaClass type(String name) {
    return classes.get(CallTrace.GATEWAY + name);
  }

  private boolean isValue(String name) {
    JavaClass type = classes.get(name);
    return type.isRecord()
        || type.isEnum()
        || type.isInterface()
        || type.isAssignableTo(Throwable.class);
  }

  /** Each helper on the way, with the class that it helps. */
  Map<String, String> helpers() {
    Map<String, String> helpers = new LinkedHashMap<>();
    for (String owner : stages()) {
      Set<String> without = reached(owner);
      for (String one : stages()) {
        boolean hidden = !type(one).getModifiers().contains(JavaModifier.PUBLIC);
        boolean beside = type(one).getPackageName().equals(type(owner).getPackageName());
        if (hidden && beside && !one.equals(owner) && !without.contains(one)) {
          helpers.putIfAbsent(one, owner);
        }
      }
    }
    return helpers;
  }

  private Set<String> stages() {
    return met.keySet().stream()
        .filter(met::get)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private Set<String> reached(String without) {
    Set<String> reached = new LinkedHashSet<>();
    Deque<String> next = new ArrayDeque<>(begins);
    while (!next.isEmpty()) {
      String one = next.poll();
      if (!one.equals(without) && reached.add(one)) {
        next.addAll(callees.getOrDefault(one, Set.of()));
      }
    }
    return reached;
  }

  /** The classes on the way without helpers, in the order in which they are met. */
  List<String> classes() {
    Set<String> stages = stages();
    stages.removeAll(helpers().keySet());
    return List.copyOf(stages);
  }

  /** Whether a class on the way calls another one, itself or by its helpers. */
  boolean calls(String from, String to) {
    Map<String, String> helpers = helpers();
    return callees.entrySet().stream()
        .filter(one -> helpers.getOrDefault(one.getKey(), one.getKey()).equals(from))
        .anyMatch(one -> one.getValue().contains(to));
  }
}
