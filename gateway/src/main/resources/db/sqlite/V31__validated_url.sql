-- The URL that gave a feed's ETag and Last-Modified, after redirects: no other one is asked with them.
-- NULL in rows of earlier versions, whose validators go to the feed's own URL.
ALTER TABLE feed ADD COLUMN validated_url TEXT;
