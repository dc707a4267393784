package io.feedbridge.gateway.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A knot is a set of classes of one package each of which needs, directly or not, all of the
 * others: none of them can be read alone. A nested class counts as its outer class.
 */
@AnalyzeClasses(packages = "io.feedbridge", importOptions = ImportOption.DoNotIncludeTests.class)
class KnotsTest {

  private static final int MOST = 4;

  /** The knots that are there, by package, with their sizes. They may become smaller. */
  private static final Map<String, Integer> KNOWN =
      Map.of(
          // The sealed exception names its kinds, and the readers of messages throw them.
          "io.feedbridge.rsscloud", 12,
          // Readers of extensions, which hold one another's parts.
          "io.feedbridge.normalizer", 5);

  @ArchTest
  static void a_knot_within_a_package_has_at_most_4_classes(JavaClasses classes) {
    Map<String, Set<String>> needs = needs(classes);
    Map<String, Integer> large = new TreeMap<>();
    List<Set<String>> tooLarge = new ArrayList<>();
    for (Set<String> knot : knots(needs)) {
      String name = knot.iterator().next();
      String room = name.substring(0, name.lastIndexOf('.'));
      if (knot.size() > KNOWN.getOrDefault(room, MOST)) {
        tooLarge.add(knot);
      } else if (knot.size() > MOST) {
        large.put(room, knot.size());
      }
    }
    assertThat(tooLarge).isEmpty();
    assertThat(KNOWN.keySet()).as("exceptions that are needed no more").isEqualTo(large.keySet());
  }

  /** What each class needs of its own package. */
  private static Map<String, Set<String>> needs(JavaClasses classes) {
    Map<String, Set<String>> needs = new TreeMap<>();
    for (JavaClass type : classes) {
      String from = outer(type.getName());
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass();
        String to = outer(target.getBaseComponentType().getName());
        boolean own = target.getBaseComponentType().getPackageName().equals(type.getPackageName());
        if (own && !to.equals(from)) {
          needs.computeIfAbsent(from, any -> new TreeSet<>()).add(to);
        }
      }
    }
    return needs;
  }

  private static String outer(String name) {
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  /** Two classes are in one knot if each reaches the other. */
  private static List<Set<String>> knots(Map<String, Set<String>> needs) {
    Map<String, Set<String>> reached = new TreeMap<>();
    needs.keySet().forEach(name -> reached.put(name, reachedFrom(name, needs)));
    List<Set<String>> knots = new ArrayList<>();
    Set<String> done = new HashSet<>();
    for (Map.Entry<String, Set<String>> one : reached.entrySet()) {
      String name = one.getKey();
      if (!done.contains(name)) {
        Set<String> knot = new TreeSet<>(Set.of(name));
        for (String other : one.getValue()) {
          if (reached.getOrDefault(other, Set.of()).contains(name)) {
            knot.add(other);
          }
        }
        done.addAll(knot);
        knots.add(knot);
      }
    }
    return knots;
  }

  private static Set<String> reachedFrom(String name, Map<String, Set<String>> needs) {
    Set<String> reached = new HashSet<>();
    Deque<String> next = new ArrayDeque<>(Set.of(name));
    while (!next.isEmpty()) {
      for (String needed : needs.getOrDefault(next.remove(), Set.of())) {
        if (reached.add(needed)) {
          next.add(needed);
        }
      }
    }
    return reached;
  }
}
