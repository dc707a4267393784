package io.feedbridge.rsscloud;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A procedure call, of any protocol.
 *
 * @param procedure its full name, such as {@code rssCloud.pleaseNotify}
 * @param arguments in order
 * @param namespace of the procedure's element in SOAP; empty where it has none, as in XML-RPC
 */
public record RpcCall(String procedure, List<Argument> arguments, String namespace) {

  /** Copies the list. */
  public RpcCall {
    arguments = List.copyOf(arguments);
  }

  /** A call without a namespace. */
  public RpcCall(String procedure, List<Argument> arguments) {
    this(procedure, arguments, "");
  }

  /**
   * An argument.
   *
   * @param name as SOAP gives it; empty in XML-RPC, where only the position counts
   */
  public record Argument(String name, RpcValue value) {}

  /** A call whose arguments are told apart by their positions alone. */
  public static RpcCall of(String procedure, RpcValue... arguments) {
    return new RpcCall(
        procedure, Arrays.stream(arguments).map(argument -> new Argument("", argument)).toList());
  }

  /**
   * The part of the procedure's name behind the last dot: clouds call their procedures {@code
   * xmlStorageSystem.rssPleaseNotify}, {@code myCloud.rssPleaseNotify} or without any dot.
   */
  public String lastSegment() {
    return procedure.substring(procedure.lastIndexOf('.') + 1);
  }

  /** The values, in order. */
  public List<RpcValue> values() {
    return arguments.stream().map(Argument::value).toList();
  }

  /**
   * The first web URL among the values and the values of lists: the feed that a registration is
   * for, although the call cannot be understood.
   */
  public Optional<String> firstUrl() {
    return values().stream()
        .flatMap(
            value ->
                value instanceof RpcValue.Items list ? list.values().stream() : Stream.of(value))
        .flatMap(value -> value.asText().stream())
        .map(String::strip)
        .filter(text -> text.matches("(?i)https?://.*"))
        .findFirst();
  }

  /** The values as texts, in order; lists, structs and nil are passed over. */
  List<String> texts() {
    return arguments.stream().flatMap(argument -> argument.value.asText().stream()).toList();
  }

  /**
   * The values of one argument: all values under one of its names, else the value at its position,
   * unless that value bears the name of another argument.
   *
   * @param place the position, from 0
   * @param names the names of the argument, in lower case, the preferred name first
   * @param others the names of all arguments of the procedure, in lower case
   */
  List<RpcValue> named(int place, Set<String> names, Set<String> others) {
    List<RpcValue> found = new ArrayList<>();
    for (Argument argument : arguments) {
      if (names.contains(argument.name.toLowerCase(Locale.ROOT))) {
        found.add(argument.value);
      }
    }
    if (found.isEmpty() && place < arguments.size()) {
      Argument there = arguments.get(place);
      if (!others.contains(there.name.toLowerCase(Locale.ROOT))) {
        found.add(there.value);
      }
    }
    return found;
  }

  /** The procedure and the types of the arguments; their values may be secret. */
  @Override
  public String toString() {
    return procedure
        + arguments.stream()
            .map(argument -> argument.value.getClass().getSimpleName())
            .collect(Collectors.joining(", ", "(", ")"));
  }
}
