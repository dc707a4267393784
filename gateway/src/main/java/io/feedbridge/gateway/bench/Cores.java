package io.feedbridge.gateway.bench;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which processors a process may use. The references have those of the gateway; sink and origin
 * have one that neither has.
 */
enum Cores {
  /** Whichever the system gives them. */
  ANY,
  /** All but the last. */
  GATEWAY,
  /** The last. */
  OTHERS;

  private static final String TASKSET = "taskset";

  /** Whether processes can be put on processors of their own here. */
  static boolean canBePinned() {
    return Runtime.getRuntime().availableProcessors() > 1
        && Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .filter(folder -> !folder.isEmpty())
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, TASKSET)));
  }

  /** What stands before a command that is to run there. */
  List<String> prefix() {
    int last = Runtime.getRuntime().availableProcessors() - 1;
    return switch (this) {
      case ANY -> List.of();
      case GATEWAY -> List.of(TASKSET, "-c", last == 1 ? "0" : "0-" + (last - 1));
      case OTHERS -> List.of(TASKSET, "-c", Integer.toString(last));
    };
  }
}
