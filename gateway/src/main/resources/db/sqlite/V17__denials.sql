-- Denials wait among the verifications: how many are there that were not tried yet, and which.
CREATE INDEX verification_denied ON verification (attempts, next_attempt_at) WHERE mode = 'DENIED';
