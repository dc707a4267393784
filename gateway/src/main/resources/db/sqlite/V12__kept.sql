-- Whether a feed is followed even with no subscriber.
ALTER TABLE feed ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
