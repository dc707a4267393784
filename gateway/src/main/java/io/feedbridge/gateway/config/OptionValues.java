package io.feedbridge.gateway.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The values of the options of a table. Immutable. */
public final class OptionValues {

  private final Map<String, String> texts;
  private final Map<Option<?>, Object> values = new HashMap<>();

  private OptionValues(Map<String, String> texts) {
    this.texts = Map.copyOf(texts);
  }

  /**
   * Reads options. Blocks where a file of secrets or patterns is named.
   *
   * @param table the options to read
   * @param texts the text of each option that is set, by its name
   * @param problems takes every text that has no value, and every name that is not in the table
   */
  public static OptionValues read(
      List<Option<?>> table, Map<String, String> texts, Problems problems) {
    OptionValues read = new OptionValues(texts);
    Set<String> names = table.stream().map(Option::name).collect(Collectors.toSet());
    texts.keySet().stream()
        .filter(name -> !names.contains(name))
        .forEach(name -> problems.add(name, "there is no such option"));
    table.forEach(option -> read.value(option, problems).ifPresent(it -> read.put(option, it)));
    return read;
  }

  private void put(Option<?> option, Object value) {
    values.put(option, value);
  }

  private <T> Optional<T> value(Option<T> option, Problems problems) {
    String text = text(option);
    if (option.kind().form() == Kind.Form.SECRET) {
      String file = texts.getOrDefault(SecretFile.option(option.name()), "");
      text = SecretFile.of(option.name(), text, file, problems).orElse("");
    }
    boolean isUnset = text.isEmpty() && option.preset().isEmpty();
    return isUnset && option.kind().form() != Kind.Form.LIST
        ? Optional.empty()
        : option.kind().reader().read(text, problem -> problems.add(option.name(), problem));
  }

  /**
   * The value of an option that always has one.
   *
   * @throws java.util.NoSuchElementException if it has none
   */
  public <T> T get(Option<T> option) {
    return find(option).orElseThrow();
  }

  /** The value of an option; empty if it is not set, or has a problem. */
  @SuppressWarnings("unchecked") // An option is put with a value of its own kind: see value().
  public <T> Optional<T> find(Option<T> option) {
    return Optional.ofNullable((T) values.get(option));
  }

  /** Whether an option has another text than its preset. */
  boolean isSet(Option<?> option) {
    return !text(option).equals(option.preset());
  }

  /** The text of an option, as it was written. */
  String text(Option<?> option) {
    return texts.getOrDefault(option.name(), option.preset());
  }
}
