-- Whether a feed has a raw subscriber is asked with each outcome.
CREATE INDEX subscription_raw ON subscription (feed_id) WHERE raw = 1;
