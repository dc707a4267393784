-- When the content of a feed, as its bridged feeds show it, changed last; null before this version.
-- Each change has a second of its own.
ALTER TABLE feed_fields ADD COLUMN changed_at INTEGER;
