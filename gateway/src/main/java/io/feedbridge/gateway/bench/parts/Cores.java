package io.feedbridge.gateway.bench.parts;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The processors that a process may use. The references have the gateway's processors; sink and
 * origin have another one.
 */
public enum Cores {
  /** Any processor that the system chooses. */
  ANY,
  /** All processors but the last. */
  GATEWAY,
  /** The last processor. */
  OTHERS;

  private static final String TASKSET = "taskset";

  /** Whether processes can be put on processors of their own here. */
  public static boolean canBePinned() {
    return Runtime.getRuntime().availableProcessors() > 1
        && Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .filter(folder -> !folder.isEmpty())
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, TASKSET)));
  }

  /** The prefix of a command that is to run on these processors. */
  public List<String> prefix() {
    int last = Runtime.getRuntime().availableProcessors() - 1;
    return switch (this) {
      case ANY -> List.of();
      case GATEWAY -> List.of(TASKSET, "-c", last == 1 ? "0" : "0-" + (last - 1));
      case OTHERS -> List.of(TASKSET, "-c", Integer.toString(last));
    };
  }
}
