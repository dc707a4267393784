package io.feedbridge.gateway.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.BridgesContract;
import io.feedbridge.gateway.store.FeedHistoryContract;
import io.feedbridge.gateway.store.FeedsContract;
import io.feedbridge.gateway.store.FiguresContract;
import io.feedbridge.gateway.store.GapsContract;
import io.feedbridge.gateway.store.ListsContract;
import io.feedbridge.gateway.store.LogContract;
import io.feedbridge.gateway.store.NewestContract;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.OwnershipContract;
import io.feedbridge.gateway.store.PassedOverContract;
import io.feedbridge.gateway.store.PingCostContract;
import io.feedbridge.gateway.store.PingsContract;
import io.feedbridge.gateway.store.PrivateFeedsContract;
import io.feedbridge.gateway.store.PublishersContract;
import io.feedbridge.gateway.store.SitePacesContract;
import io.feedbridge.gateway.store.TogetherContract;
import io.feedbridge.gateway.store.TransitionsContract;
import io.feedbridge.gateway.store.UpstreamSubscriptionsContract;
import io.feedbridge.gateway.store.UpstreamsContract;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkContract;
import io.feedbridge.gateway.work.WorkItem;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract suites of feeds, work and the log, over PostgreSQL. */
final class PostgresFeedContractsTest {

  @TempDir Path folder;

  private Backend backend() {
    return new PostgresBackend(folder);
  }

  @Nested
  class Bridges extends BridgesContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class FeedHistory extends FeedHistoryContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Feeds extends FeedsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Figures extends FiguresContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Gaps extends GapsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Log extends LogContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Newest extends NewestContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Ownership extends OwnershipContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class PassedOver extends PassedOverContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class SitePaces extends SitePacesContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Pings extends PingsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class PrivateFeeds extends PrivateFeedsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Publishers extends PublishersContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Together extends TogetherContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Transitions extends TransitionsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Followings extends UpstreamSubscriptionsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Upstreams extends UpstreamsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }

  @Nested
  class Work extends WorkContract {
    @Override
    protected Backend open() {
      return backend();
    }

    /** The end of a backlog is a write of its own here. */
    @Test
    void L1_an_outcome_is_recorded_although_its_backlog_does_not_end() {
      FollowedFeed feed = feed("feed");
      done(work().add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
      Assignment out = work().take(1).get(0);
      execute(
          "CREATE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql AS"
              + " 'BEGIN RAISE EXCEPTION ''refused''; END'",
          "CREATE TRIGGER refuse BEFORE DELETE ON backlog FOR EACH ROW EXECUTE FUNCTION refuse()");

      done(feeds().record(OutcomeBuilder.of(feed, NOW).doing(out).build()));
      work().giveBack(out);

      execute("DROP TRIGGER refuse ON backlog", "DROP FUNCTION refuse");
      assertThat(work().take(1)).isEmpty();
      assertThat(work().waiting()).isZero();
    }

    private void execute(String... statements) {
      done(database().change((handle, effects) -> List.of(statements).forEach(handle::execute)));
    }
  }

  @Nested
  class PingCost extends PingCostContract {
    @Override
    protected Backend open() {
      return backend();
    }

    @Override
    protected long logBytes() {
      return database()
          .read(
              handle ->
                  handle
                      .createQuery("SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS BIGINT)")
                      .mapTo(Long.class)
                      .one());
    }
  }

  @Nested
  class Lists extends ListsContract {
    @Override
    protected Backend open() {
      return backend();
    }
  }
}
