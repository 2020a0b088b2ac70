-- Returns the names of the applied migrations. Runs as the owner because the other roles cannot read the table.
CREATE OR REPLACE FUNCTION applied_migrations() RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT array_agg(m.name::text) FROM schema_migration m
$$;

REVOKE ALL ON FUNCTION applied_migrations FROM PUBLIC;
GRANT EXECUTE ON FUNCTION applied_migrations TO einvoice_app, einvoice_dispatcher;
