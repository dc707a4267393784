-- Until when the newest bytes of a feed are kept for readers that are no subscribers.
ALTER TABLE feed ADD COLUMN body_until INTEGER NOT NULL DEFAULT 0;
