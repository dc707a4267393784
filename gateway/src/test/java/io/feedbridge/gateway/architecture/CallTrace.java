package io.feedbridge.gateway.architecture;

import static java.util.Objects.requireNonNull;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.MethodExitEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import com.sun.jdi.request.MethodExitRequest;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The calls of the gateway's methods in another JVM, as a debugger sees them. Thread-safe. */
final class CallTrace implements AutoCloseable {

  static final String GATEWAY = "io.feedbridge.gateway.";

  /**
   * A call.
   *
   * @param callers the outermost classes of the methods that the thread is in, the nearest first,
   *     without closed rooms
   * @param to the outermost class of the method that is called
   * @param of the class of the object that it is called on, or that it makes; null for a function
   */
  record Call(List<String> callers, String to, @Nullable String of) {}

  private final VirtualMachine jvm;
  private final Map<Long, Deque<String>> stacks = new HashMap<>();
  private final List<Call> calls = new ArrayList<>();

  /**
   * Attaches to a JVM that listens for a debugger.
   *
   * @param closed packages of which no calls are told
   */
  CallTrace(int port, Collection<String> closed) throws IOException {
    jvm = attach(port);
    MethodEntryRequest entries = jvm.eventRequestManager().createMethodEntryRequest();
    MethodExitRequest exits = jvm.eventRequestManager().createMethodExitRequest();
    entries.addClassFilter(GATEWAY + "*");
    exits.addClassFilter(GATEWAY + "*");
    for (String room : closed) {
      entries.addClassExclusionFilter(GATEWAY + room + ".*");
      exits.addClassExclusionFilter(GATEWAY + room + ".*");
    }
    for (EventRequest request : List.of(entries, exits)) {
      request.setSuspendPolicy(EventRequest.SUSPEND_NONE);
      request.enable();
    }
    new Thread(this::read, "call-trace").start();
  }

  private static VirtualMachine attach(int port) throws IOException {
    AttachingConnector connector =
        Bootstrap.virtualMachineManager().attachingConnectors().stream()
            .filter(one -> one.transport().name().equals("dt_socket"))
            .findFirst()
            .orElseThrow();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    Map.of("hostname", "127.0.0.1", "port", Integer.toString(port))
        .forEach((name, value) -> requireNonNull(arguments.get(name)).setValue(value));
    try {
      return connector.attach(arguments);
    } catch (IllegalConnectorArgumentsException e) {
      throw new IllegalStateException(e);
    }
  }

  private void read() {
    try {
      while (true) {
        jvm.eventQueue().remove().forEach(this::seen);
      }
    } catch (InterruptedException | VMDisconnectedException end) {
      // close() has ended the trace.
    }
  }

  private synchronized void seen(Event event) {
    if (event instanceof MethodEntryEvent entry) {
      Method method = entry.method();
      Deque<String> stack =
          stacks.computeIfAbsent(entry.thread().uniqueID(), thread -> new ArrayDeque<>());
      String of = method.declaringType().name();
      String to = outermost(of);
      boolean function = method.isStatic() || of.contains("$$Lambda");
      calls.add(new Call(List.copyOf(stack), to, function ? null : of));
      stack.push(to);
    } else if (event instanceof MethodExitEvent exit) {
      // A method that was entered before the trace began is on no stack.
      stacks.getOrDefault(exit.thread().uniqueID(), new ArrayDeque<>()).poll();
    }
  }

  private static String outermost(String name) {
    return name.substring(GATEWAY.length()).split("\\$", 2)[0];
  }

  /** The calls so far. */
  synchronized List<Call> calls() {
    return List.copyOf(calls);
  }

  @Override
  public void close() {
    jvm.dispose();
  }
}
