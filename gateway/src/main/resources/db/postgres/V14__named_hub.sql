-- The hub that the operator names for a feed, and the URL by which that one knows the feed.
ALTER TABLE feed ADD COLUMN named_hub TEXT;
ALTER TABLE feed ADD COLUMN named_topic TEXT;
