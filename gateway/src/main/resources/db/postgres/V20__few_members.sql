-- The planner takes a function for one of a thousand rows, which has it read whole tables.
ALTER FUNCTION json_each(TEXT) ROWS 20;
