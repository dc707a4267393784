-- Laggards are served host by host, so that those of a host that can take no more are not even
-- looked at.
DROP INDEX laggard_due;
CREATE INDEX laggard_of_host ON laggard (host, next_attempt_at)
  WHERE in_flight = 0 AND next_attempt_at IS NOT NULL;

-- A start looks only at those that were in flight, the opening of a round only at those that rest
-- where the round before ended or that it wakes.
CREATE INDEX laggard_in_flight ON laggard (subscription_id) WHERE in_flight = 1;
DROP INDEX laggard_of_feed;
CREATE INDEX laggard_of_feed ON laggard (feed_id, cursor);
CREATE INDEX laggard_resting ON laggard (feed_id, cursor) WHERE next_attempt_at IS NULL;
