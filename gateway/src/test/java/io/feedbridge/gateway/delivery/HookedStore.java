package io.feedbridge.gateway.delivery;

import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.ChangedSubscriptions;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.Figures;
import io.feedbridge.gateway.store.Laggards;
import io.feedbridge.gateway.store.Log;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.SitePaces;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.Subscriptions;
import io.feedbridge.gateway.store.Transition;
import io.feedbridge.gateway.store.UpstreamSubscriptions;
import io.feedbridge.gateway.store.sql.Ownership;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.StoredTimes;
import io.feedbridge.gateway.store.sql.Tokens;
import io.feedbridge.gateway.store.sql.Users;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.sql.feeds.Bridges;
import io.feedbridge.gateway.store.sql.feeds.Denials;
import io.feedbridge.gateway.store.sql.feeds.FeedHistory;
import io.feedbridge.gateway.store.sql.feeds.FeedQueries;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries;
import io.feedbridge.gateway.store.sql.feeds.Pings;
import io.feedbridge.gateway.store.sql.feeds.Publishers;
import io.feedbridge.gateway.store.sql.feeds.Restrictions;
import io.feedbridge.gateway.store.sql.feeds.Trackers;
import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store whose calls a test can watch, hold up or fail. */
public final class HookedStore implements Store {

  private final Store real;
  private final Map<String, Hook> hooks = new ConcurrentHashMap<>();

  public HookedStore(Store real) {
    this.real = real;
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

  @Override
  public Feeds feeds() {
    return hooked(Feeds.class, real.feeds());
  }

  @Override
  public UpstreamSubscriptions upstreamSubscriptions() {
    return real.upstreamSubscriptions();
  }

  @Override
  public Subscriptions subscriptions() {
    return hooked(Subscriptions.class, real.subscriptions());
  }

  @Override
  public Upstreams upstreams() {
    return real.upstreams();
  }

  @Override
  public Trackers trackers() {
    return real.trackers();
  }

  @Override
  public KeptEntries entries() {
    return real.entries();
  }

  @Override
  public Denials denials() {
    return real.denials();
  }

  @Override
  public Rounds rounds() {
    return hooked(Rounds.class, real.rounds());
  }

  @Override
  public Laggards laggards() {
    return hooked(Laggards.class, real.laggards());
  }

  @Override
  public Log log() {
    return hooked(Log.class, real.log());
  }

  @Override
  public Consumers consumers() {
    return real.consumers();
  }

  @Override
  public Webhooks webhooks() {
    return real.webhooks();
  }

  @Override
  public Publishers publishers() {
    return real.publishers();
  }

  @Override
  public FeedQueries feedQueries() {
    return real.feedQueries();
  }

  @Override
  public Restrictions restrictions() {
    return real.restrictions();
  }

  @Override
  public PrivateFeeds privateFeeds() {
    return real.privateFeeds();
  }

  @Override
  public Bridges bridges() {
    return real.bridges();
  }

  @Override
  public FeedHistory feedHistory() {
    return real.feedHistory();
  }

  @Override
  public SitePaces sitePaces() {
    return real.sitePaces();
  }

  @Override
  public Pings pings() {
    return real.pings();
  }

  @Override
  public Ownership ownership() {
    return real.ownership();
  }

  @Override
  public StoredTimes times() {
    return real.times();
  }

  @Override
  public Users users() {
    return real.users();
  }

  @Override
  public Tokens tokens() {
    return real.tokens();
  }

  @Override
  public SubscriptionQueries subscriptionQueries() {
    return real.subscriptionQueries();
  }

  @Override
  public LoginSubscriptions loginSubscriptions() {
    return real.loginSubscriptions();
  }

  @Override
  public void onChange(Change change, Runnable listener) {
    real.onChange(change, listener);
  }

  @Override
  public void onSubscriptionsChanged(Consumer<ChangedSubscriptions> listener) {
    real.onSubscriptionsChanged(listener);
  }

  @Override
  public void onTransition(Consumer<Transition> listener) {
    real.onTransition(listener);
  }

  @Override
  public StoreHealth health() {
    return real.health();
  }

  @Override
  public CompletableFuture<byte[]> key(Supplier<byte[]> first) {
    return real.key(first);
  }

  @Override
  public Figures figures() {
    return real.figures();
  }
}
