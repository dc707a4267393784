-- A hash of the part of a document that the entry was last read from; absent for one that was never
-- told apart so.
ALTER TABLE entry_seen ADD COLUMN source TEXT;
