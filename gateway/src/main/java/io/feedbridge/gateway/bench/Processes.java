package io.feedbridge.gateway.bench;

import io.feedbridge.gateway.bench.data.StorePlace;
import io.feedbridge.gateway.bench.parts.Cores;
import io.feedbridge.gateway.bench.parts.Part;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the processes of one scenario, and ends them, the last one first. */
final class Processes implements AutoCloseable {

  /** The heap of a process that is no gateway, allocated whole at the start as the gateway's is. */
  private static final List<String> HEAP_OF_OTHERS = List.of("-Xms512m", "-Xmx512m");

  private static final Logger log = LoggerFactory.getLogger(Processes.class);

  private final Plan plan;
  private final Path folder;
  private final Deque<AutoCloseable> running = new ArrayDeque<>();

  /**
   * None yet.
   *
   * @param folder for their logs
   */
  Processes(Plan plan, Path folder) {
    this.plan = plan;
    this.folder = folder;
  }

  /** Starts one that is not measured. */
  Child start(Part part) throws BenchException {
    return start(part, Cores.OTHERS, HEAP_OF_OTHERS, List.of());
  }

  /** Starts a reference, which has the gateway's processors. */
  Child reference(Part part) throws BenchException {
    return start(part, Cores.GATEWAY, HEAP_OF_OTHERS, List.of());
  }

  /** Starts a measured process in place of a gateway, with the options of one. */
  Child inPlaceOfGateway(Part part, String heap) throws BenchException {
    return start(part, Cores.GATEWAY, ofGateway(heap), List.of());
  }

  private List<String> ofGateway(String heap) {
    List<String> jvm = new ArrayList<>(List.of("-Xms" + heap, "-Xmx" + heap));
    jvm.addAll(plan.jvm());
    return jvm;
  }

  /**
   * Starts a gateway and waits until it is ready.
   *
   * @param heap the most that it may have, as the JVM's option writes it
   */
  RunningGateway gateway(StorePlace store, String heap, List<String> options)
      throws BenchException {
    return gateway(store, ofGateway(heap), options);
  }

  /** Starts a gateway with the JVM's default options, and waits until it is ready. */
  RunningGateway gatewayByDefault(StorePlace store, List<String> options) throws BenchException {
    return gateway(store, plan.jvm(), options);
  }

  private RunningGateway gateway(StorePlace store, List<String> jvm, List<String> options)
      throws BenchException {
    int port = freePort();
    List<String> serve =
        new ArrayList<>(
            List.of(
                "serve",
                "--listen=127.0.0.1:" + port,
                "--allow-fetch=127.0.0.0/8",
                "--allow-callback=127.0.0.0/8"));
    serve.addAll(store.options());
    serve.addAll(options);
    long begun = System.nanoTime();
    Child process = start(Part.GATEWAY, Cores.GATEWAY, jvm, serve);
    RunningGateway gateway = new RunningGateway(process, port);
    running.push(gateway);
    gateway.awaitReady(begun);
    return gateway;
  }

  private Child start(Part part, Cores cores, List<String> jvm, List<String> arguments)
      throws BenchException {
    List<String> command = new ArrayList<>(plan.pinned() ? cores.prefix() : List.of());
    command.add(plan.launch().get(0));
    command.addAll(jvm);
    command.addAll(plan.launch().subList(1, plan.launch().size()));
    command.add("bench");
    command.add(part.word());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("FEEDBRIDGE_"));
    builder.environment().put("FEEDBRIDGE_LOG_LEVEL", "WARN");
    Child child = Child.start(part.word(), builder, folder.resolve(part.word() + ".log"));
    running.push(child);
    return child;
  }

  static int freePort() throws BenchException {
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    } catch (IOException e) {
      throw new BenchException("There is no free port: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    while (!running.isEmpty()) {
      try {
        running.pop().close();
      } catch (Exception e) {
        log.atWarn().setCause(e).log("A process of the bench did not end well");
      }
    }
  }
}
