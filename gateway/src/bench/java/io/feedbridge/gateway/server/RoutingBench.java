package io.feedbridge.gateway.server;

import io.feedbridge.gateway.testing.TestGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** From the target of a request to its route, among all that a gateway has. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class RoutingBench {

  private Router router = Router.builder().build();

  @Setup
  public void setUp() throws IOException {
    Path data = Files.createTempDirectory("routing-bench");
    try (TestGateway gateway = TestGateway.on(data)) {
      router = gateway.router();
    }
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(data)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : deepestFirst) {
      Files.delete(each);
    }
  }

  private Router.Outcome find(String method, String target) {
    return router.find(method, Target.parse(target));
  }

  @Benchmark
  public Router.Outcome plainPath() {
    return find("POST", "/hub");
  }

  @Benchmark
  public Router.Outcome pathWithVariable() {
    return find("POST", "/callback/websub/NmPzXc0yq1v2JcNQ");
  }

  @Benchmark
  public Router.Outcome noSuchPath() {
    return find("GET", "/wp-login/index.php");
  }
}
