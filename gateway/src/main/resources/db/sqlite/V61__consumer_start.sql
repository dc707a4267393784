-- The newest event when the consumer began: nothing up to it is for the consumer, unless it was moved
-- back. 0 for consumers of earlier versions, where that is not known.
ALTER TABLE consumer ADD COLUMN start INTEGER NOT NULL DEFAULT 0;
