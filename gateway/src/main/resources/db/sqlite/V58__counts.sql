-- Feeds by state and subscriptions by protocol, for lists and counts.
CREATE INDEX feed_state ON feed (state, id) WHERE followed = 1;
CREATE INDEX subscription_protocol ON subscription (protocol, id);
