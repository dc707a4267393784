package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.PasswordTries;
import io.feedbridge.gateway.publish.ListDocuments;
import io.feedbridge.gateway.publish.OwnEvents;
import io.feedbridge.gateway.publish.OwnTopics;
import io.feedbridge.gateway.publish.PasswordChecks;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.publish.TestFeed;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.track.TrackerTopics;
import java.net.URI;

/** The feeds that the gateway publishes itself. */
final class OwnFeedsPart {

  /** Checking a password takes processor time and memory by design. */
  private static final int PASSWORD_THREADS = 1;

  final SavedFeeds savedFeeds;
  final TestFeed testFeed;
  final ListDocuments listDocuments;
  final TrackerTopics trackerTopics;
  private final OwnEvents ownEvents;

  OwnFeedsPart(Settings settings, Machines machines, ServingPart serving) {
    URI url = settings.publicUrl();
    PasswordChecks passwords =
        new PasswordChecks(
            machines.store.users(),
            new PasswordTries(settings.guarding().limits().passwords(), machines.clock),
            machines.pool("passwords", PASSWORD_THREADS, PasswordChecks.MAX_AT_ONCE));
    savedFeeds =
        new SavedFeeds(
            machines.store.users(),
            serving.tokens,
            serving.intake,
            url,
            passwords,
            serving.intakeThreads,
            machines.clock);
    testFeed =
        new TestFeed(
            url,
            settings.serving().testFeedPeriod(),
            machines.store,
            serving.intake,
            machines.stages,
            machines.timer);
    ownEvents =
        new OwnEvents(
            machines.store, serving.activity, serving.intake, machines.stages, machines.timer);
    listDocuments = new ListDocuments(machines.store.publishedLists(), serving.intake, url);
    trackerTopics = new TrackerTopics(url);
  }

  /** The documents of these feeds, which are read within the process. */
  OwnTopics topics() {
    return new OwnTopics(testFeed, savedFeeds, listDocuments, trackerTopics, ownEvents);
  }

  void start(Lifecycle lifecycle) {
    lifecycle.start(testFeed::start, testFeed::close);
    lifecycle.start(ownEvents::start, ownEvents::close);
  }
}
