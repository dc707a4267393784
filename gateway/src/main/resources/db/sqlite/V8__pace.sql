-- A feed's rhythm, what its origin asks for, and how its entries are to be taken.
ALTER TABLE feed ADD COLUMN pace TEXT NOT NULL DEFAULT '{}';
