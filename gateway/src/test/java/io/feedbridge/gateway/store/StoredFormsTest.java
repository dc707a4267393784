package io.feedbridge.gateway.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.websub.DocumentWishes;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A stored value keeps its meaning over versions: each form that a gateway has ever written lies in
 * {@code stored/} and is read by a test. A component that is added needs a further file with it, a
 * component that is renamed a further {@link Json#VERSION} with a step that reads the old name.
 */
class StoredFormsTest {

  private static final Path FORMS = Path.of("src", "test", "resources", "stored");

  private static final Map<String, Class<?>> TYPES =
      Map.of(
          "update", Update.class,
          "entry", Entry.class,
          "feed", Feed.class,
          "terms", Terms.class,
          "wishes", DocumentWishes.class,
          "trust", Trust.class,
          "pace", PollPace.class,
          "advertised", Advertised.class,
          "credentials", FeedCredentials.class,
          "fetched", FollowedFeed.Fetched.class);

  private static final ObjectMapper PLAIN = new ObjectMapper();

  static List<Path> forms() throws IOException {
    try (Stream<Path> files = Files.list(FORMS)) {
      return files.sorted().toList();
    }
  }

  static Set<String> names() {
    return TYPES.keySet();
  }

  private static Class<?> typeOf(Path form) {
    String name = form.getFileName().toString().replaceAll("-\\d+\\.json$", "");
    return Optional.<Class<?>>ofNullable(TYPES.get(name)).orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("forms")
  void a_form_that_was_ever_written_is_read_without_loss(Path form) throws IOException {
    String stored = Files.readString(form);
    Object value = Json.read(stored, typeOf(form));
    assertThat(leaves(PLAIN.readTree(Json.text(value))))
        .as("values by their place")
        .containsAllEntriesOf(leaves(PLAIN.readTree(stored)));
  }

  @ParameterizedTest
  @MethodSource("names")
  void the_newest_form_has_each_component(String name) throws IOException {
    Class<?> type = typeOf(Path.of(name + "-1.json"));
    Path newest =
        forms().stream()
            .filter(form -> typeOf(form).equals(type))
            .max(Comparator.comparing(Path::toString))
            .orElseThrow();
    JsonNode today = PLAIN.readTree(Json.text(new Sample().of(type)));
    assertThat(PLAIN.readTree(Files.readString(newest)))
        .as("%s: a component was added, so a further file has to stand beside it", newest)
        .isEqualTo(today);
  }

  @Test
  void a_form_of_a_newer_gateway_is_refused() {
    String newer = "{\"v\":%d,\"hubs\":[\"http://hub.example/\"]}".formatted(Json.VERSION + 1);
    assertThatThrownBy(() -> Json.read(newer, Advertised.class))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("newer version");
    assertThatThrownBy(() -> Json.read(newer.getBytes(UTF_8), Advertised.class))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("newer version");
  }

  /** Each value of a tree by its place, without absent ones. */
  private static Map<String, String> leaves(JsonNode tree) {
    Map<String, String> leaves = new TreeMap<>();
    collect("", tree, leaves);
    return leaves;
  }

  private static void collect(String place, JsonNode node, Map<String, String> leaves) {
    if (node.isObject()) {
      node.properties().forEach(f -> collect(place + "/" + f.getKey(), f.getValue(), leaves));
    } else if (node.isArray()) {
      for (int i = 0; i < node.size(); i++) {
        collect(place + "/" + i, node.get(i), leaves);
      }
    } else if (!node.isNull()) {
      leaves.put(place, node.asText());
    }
  }

  /** A value of each component of a record, and of the records within. The same at each run. */
  private static final class Sample {

    private final Deque<Class<?>> within = new ArrayDeque<>();
    private int number;

    Object of(Class<?> type) {
      if (type == Trust.class) {
        return within(type, "arrivals", "pmp");
      }
      return within(type, "", "");
    }

    private Object within(Class<?> type, String given, Object value) {
      within.push(type);
      try {
        List<Object> values = new ArrayList<>();
        List<Class<?>> types = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
          types.add(component.getType());
          values.add(
              component.getName().equals(given)
                  ? value
                  : value(component.getGenericType(), component.getName()));
        }
        return type.getDeclaredConstructor(types.toArray(Class<?>[]::new))
            .newInstance(values.toArray());
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("no sample of " + type, e);
      } finally {
        within.pop();
      }
    }

    private Object value(Type type, String name) {
      number++;
      if (type instanceof ParameterizedType generic) {
        Type[] arguments = generic.getActualTypeArguments();
        if (generic.getRawType() == List.class) {
          return isWithin(arguments[0]) ? List.of() : List.of(value(arguments[0], name));
        }
        if (generic.getRawType() == Set.class) {
          return Set.of(value(arguments[0], name));
        }
        if (generic.getRawType() == Map.class) {
          return Map.of(value(arguments[0], name), value(arguments[1], name));
        }
        throw new AssertionError("no sample of " + type);
      }
      if (type == String.class) {
        return "http://" + name + ".example/" + number;
      } else if (type == boolean.class || type == Boolean.class) {
        return true;
      } else if (type == int.class || type == Integer.class) {
        return number;
      } else if (type == long.class || type == Long.class) {
        return (long) number;
      } else if (type == double.class || type == Double.class) {
        return number + 0.5;
      } else if (type == Instant.class) {
        return Instant.parse("2026-11-20T12:00:00Z").plusSeconds(number);
      } else if (type == Duration.class) {
        return Duration.ofSeconds(number);
      } else if (type instanceof Class<?> plain && plain.isEnum()) {
        Object[] constants = plain.getEnumConstants();
        return constants[constants.length - 1];
      } else if (type instanceof Class<?> plain && plain.isRecord()) {
        return of(plain);
      }
      throw new AssertionError("no sample of " + type + " in " + Arrays.toString(within.toArray()));
    }

    /** A record that holds its own kind is not sampled without end. */
    private boolean isWithin(Type type) {
      return type instanceof Class<?> plain && within.contains(plain);
    }
  }

  @Test
  void an_object_without_components_is_a_value_of_which_nothing_is_known() {
    assertThat(Json.read("{}", PollPace.class)).isEqualTo(PollPace.UNKNOWN);
    assertThat(Json.read("{\"v\":1}", PollPace.class)).isEqualTo(PollPace.UNKNOWN);
    assertThatThrownBy(() -> Json.read("null", PollPace.class)).isInstanceOf(StoreException.class);
  }
}
