package io.feedbridge.rsscloud;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A value in a call or an answer. XML-RPC names the type of each value; SOAP's types are ignored,
 * so that each simple SOAP value is a {@link Text}.
 */
public sealed interface RpcValue {

  /** The value as text, whatever simple type it came in; empty for lists, structs and nil. */
  default Optional<String> asText() {
    return Optional.empty();
  }

  /** A string; untyped values of XML-RPC are strings too. */
  record Text(String text) implements RpcValue {
    @Override
    public Optional<String> asText() {
      return Optional.of(text);
    }
  }

  /** {@code int}, {@code i4} and the longer ones that some libraries know. */
  record Int(long number) implements RpcValue {
    @Override
    public Optional<String> asText() {
      return Optional.of(Long.toString(number));
    }
  }

  /** {@code boolean}. */
  record Bool(boolean truth) implements RpcValue {
    @Override
    public Optional<String> asText() {
      return Optional.of(Boolean.toString(truth));
    }
  }

  /** {@code double}; finite, since XML-RPC can write no other. */
  record Real(double number) implements RpcValue {

    /**
     * Checks the number.
     *
     * @throws IllegalArgumentException if it is none, or infinite
     */
    public Real {
      if (!Double.isFinite(number)) {
        throw new IllegalArgumentException("there is no way to write " + number);
      }
    }

    @Override
    public Optional<String> asText() {
      return Optional.of(Double.toString(number));
    }
  }

  /**
   * {@code dateTime.iso8601}.
   *
   * @param text as it was written; libraries differ in the hyphens, and no call of ours needs one
   */
  record Time(String text) implements RpcValue {
    @Override
    public Optional<String> asText() {
      return Optional.of(text);
    }
  }

  /**
   * {@code base64}.
   *
   * @param base64 without line breaks
   */
  record Binary(String base64) implements RpcValue {

    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if it is no base64
     */
    public Binary {
      Base64.getDecoder().decode(base64);
    }

    /** The value of some bytes. */
    public static Binary of(byte[] bytes) {
      return new Binary(Base64.getEncoder().encodeToString(bytes));
    }

    /** The bytes. */
    public byte[] bytes() {
      return Base64.getDecoder().decode(base64);
    }

    /** The bytes as UTF-8, as some clients send texts. */
    @Override
    public Optional<String> asText() {
      return Optional.of(new String(bytes(), StandardCharsets.UTF_8));
    }
  }

  /** A list, in order. */
  record Items(List<RpcValue> values) implements RpcValue {

    /** Copies the list. */
    public Items {
      values = List.copyOf(values);
    }

    /** A list of strings. */
    public static Items ofTexts(List<String> texts) {
      return new Items(texts.stream().<RpcValue>map(Text::new).toList());
    }
  }

  /** A struct, its members in order. */
  record Fields(Map<String, RpcValue> values) implements RpcValue {

    /** Copies the members. */
    public Fields {
      values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }
  }

  /** Nothing: an answer that brings no value, or an extension's {@code nil}. */
  record Nil() implements RpcValue {}
}
