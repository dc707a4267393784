package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.ConsumersContract;
import io.feedbridge.gateway.store.ErrorsContract;
import io.feedbridge.gateway.store.KeyContract;
import io.feedbridge.gateway.store.LaggardsContract;
import io.feedbridge.gateway.store.LoginSubscriptionsContract;
import io.feedbridge.gateway.store.RoundsContract;
import io.feedbridge.gateway.store.SubscriptionQueriesContract;
import io.feedbridge.gateway.store.SubscriptionsContract;
import io.feedbridge.gateway.store.TimesContract;
import io.feedbridge.gateway.store.TokensContract;
import io.feedbridge.gateway.store.TrackersContract;
import io.feedbridge.gateway.store.UsersContract;
import io.feedbridge.gateway.store.WebhooksContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The contract suites of subscribers and users, over PostgreSQL. */
final class PostgresSubscriberContractsTest {

  @TempDir Path folder;

  private Backend backend() {
    return new PostgresBackend(folder);
  }

  @Nested
  class Consumers extends ConsumersContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Errors extends ErrorsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class LoginSubscriptions extends LoginSubscriptionsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Key extends KeyContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Laggards extends LaggardsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Rounds extends RoundsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Roster extends SubscriptionQueriesContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Subscriptions extends SubscriptionsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Times extends TimesContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Tokens extends TokensContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Users extends UsersContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Webhooks extends WebhooksContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Trackers extends TrackersContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }
}
