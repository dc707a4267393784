package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.feeds.SitePace;
import io.feedbridge.gateway.store.feeds.SitePaces;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The paces of sites as SQL. */
public final class SqlSitePaces implements SitePaces {

  private final Database database;

  public SqlSitePaces(Database database) {
    this.database = database;
  }

  @Override
  public List<SitePace> newest(int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT site, pace, refused_pace, refused_at, rest_until, learnt_at
                    FROM site_pace ORDER BY learnt_at DESC, site LIMIT :limit
                    """)
                .bind("limit", limit)
                .map(
                    (row, context) ->
                        new SitePace(
                            row.getString("site"),
                            Duration.ofMillis(row.getLong("pace")),
                            Duration.ofMillis(row.getLong("refused_pace")),
                            Rows.instant(row, "refused_at"),
                            Rows.instant(row, "rest_until"),
                            Rows.instant(row, "learnt_at")))
                .list());
  }

  @Override
  public CompletableFuture<Void> keep(SitePace pace) {
    return database.change(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    INSERT INTO site_pace
                      (site, pace, refused_pace, refused_at, rest_until, learnt_at)
                    VALUES (:site, :pace, :refusedPace, :refusedAt, :restUntil, :learntAt)
                    ON CONFLICT (site) DO UPDATE SET
                      pace = excluded.pace, refused_pace = excluded.refused_pace,
                      refused_at = excluded.refused_at, rest_until = excluded.rest_until,
                      learnt_at = excluded.learnt_at
                    """)
                .bind("site", pace.site())
                .bind("pace", pace.pace().toMillis())
                .bind("refusedPace", pace.refusedPace().toMillis())
                .bind("refusedAt", pace.refusedAt().toEpochMilli())
                .bind("restUntil", pace.restUntil().toEpochMilli())
                .bind("learntAt", pace.learntAt().toEpochMilli())
                .execute());
  }

  @Override
  public CompletableFuture<Void> forget(String site) {
    return database.change(
        (handle, effects) ->
            handle
                .createUpdate("DELETE FROM site_pace WHERE site = :site")
                .bind("site", site)
                .execute());
  }

  @Override
  public CompletableFuture<Void> keepNewest(int most) {
    return database.change(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    DELETE FROM site_pace WHERE site NOT IN (
                      SELECT site FROM site_pace ORDER BY learnt_at DESC, site LIMIT :most)
                    """)
                .bind("most", most)
                .execute());
  }
}
