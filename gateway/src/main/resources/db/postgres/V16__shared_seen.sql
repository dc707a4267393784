-- A removal of an entry that no tracker has is known by one look.
CREATE INDEX shared_entry_seen ON shared_entry (seen_id);
