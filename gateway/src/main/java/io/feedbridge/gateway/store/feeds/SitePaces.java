package io.feedbridge.gateway.store.feeds;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The paces that sites permit. Safe for use by several threads. */
public interface SitePaces {

  /** Keeps nothing. */
  SitePaces NONE =
      new SitePaces() {
        @Override
        public List<SitePace> newest(int limit) {
          return List.of();
        }

        @Override
        public CompletableFuture<Void> keep(SitePace pace) {
          return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> forget(String site) {
          return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> keepNewest(int most) {
          return CompletableFuture.completedFuture(null);
        }
      };

  /**
   * The paces that were learnt last, the newest first. Blocks on storage.
   *
   * @param limit of their number
   */
  List<SitePace> newest(int limit);

  /** Keeps a site's pace in place of the one that is kept. */
  CompletableFuture<Void> keep(SitePace pace);

  /** Keeps no pace of a site. */
  CompletableFuture<Void> forget(String site);

  /** Keeps of all paces only as many as were learnt last. */
  CompletableFuture<Void> keepNewest(int most);
}
