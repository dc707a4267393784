-- The caller of a request, as the limits know it. Each caller has a share of the requests to a host.
ALTER TABLE verification ADD COLUMN caller TEXT;
