package io.feedbridge.gateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Secrets that options name by the file in which they are, so that they stand neither on a command
 * line nor in an environment, both of which others may read.
 */
public final class SecretFile {

  /** The longest file; no secret that an option takes is longer. */
  private static final int MAX_BYTES = 4_096;

  private SecretFile() {}

  /** The option that names the file in place of an option that has the secret itself. */
  static String option(String option) {
    return option + "-file";
  }

  /**
   * The secret that an option has, or else the one in the file that its twin names, without the
   * line break at its end. Blocks.
   *
   * @param option the one that has the secret itself; its twin has {@code -file} behind it
   * @param text empty for none
   * @param file empty for none
   * @return empty for none, and with a problem
   */
  public static Optional<String> of(String option, String text, String file, Problems problems) {
    if (file.isEmpty()) {
      return Optional.of(text).filter(secret -> !secret.isEmpty());
    }
    String twin = option(option);
    if (!text.isEmpty()) {
      problems.add(twin, "leave it out, or " + option);
      return Optional.empty();
    }
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      String secret = new String(bytes, StandardCharsets.UTF_8).replaceFirst("\\R\\z", "");
      if (bytes.length > MAX_BYTES) {
        problems.add(twin, "%s is longer than %,d bytes".formatted(file, MAX_BYTES));
      } else if (secret.isEmpty()) {
        problems.add(twin, "%s is empty".formatted(file));
      } else {
        return Optional.of(secret);
      }
    } catch (NoSuchFileException e) {
      problems.add(twin, "there is no file %s".formatted(file));
    } catch (IOException | InvalidPathException e) {
      problems.add(twin, "%s cannot be read".formatted(file));
    }
    return Optional.empty();
  }
}
