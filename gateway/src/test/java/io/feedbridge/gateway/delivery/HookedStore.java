package io.feedbridge.gateway.delivery;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.WrappedStore;
import io.feedbridge.gateway.store.sql.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A store whose calls a test can watch, hold up or fail. */
public final class HookedStore {

  private final Store store;
  private final Map<String, Hook> hooks = new ConcurrentHashMap<>();

  public HookedStore(Store real) {
    store = WrappedStore.of(real, this::hooked);
  }

  /** The store whose calls run the hooks. */
  public Store store() {
    return store;
  }

  /** What happens instead of a call. */
  public interface Hook {
    Object call(@Nullable Object[] arguments, Real call) throws Throwable;
  }

  /** The call itself. */
  public interface Real {
    Object run() throws Throwable;
  }

  /**
   * From now on the hook runs instead of a method.
   *
   * @param method such as {@code Rounds.close}
   */
  public void on(String method, Hook hook) {
    hooks.put(method, hook);
  }

  /** Writes by this method fail from now on. */
  public void fail(String method) {
    on(
        method,
        (arguments, call) -> {
          Object failure =
              CompletableFuture.failedFuture(StoreException.noWrites("the disk is full"));
          return failure;
        });
  }

  /** From now on the method is itself again. */
  public void off(String method) {
    hooks.remove(method);
  }

  private <T> T hooked(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Real call =
                  () -> {
                    try {
                      return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  };
              Hook hook = hooks.get(type.getSimpleName() + "." + method.getName());
              return hook == null
                  ? call.run()
                  : hook.call(arguments == null ? new Object[0] : arguments, call);
            }));
  }
}
