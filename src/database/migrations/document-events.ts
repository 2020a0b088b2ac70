/** The parts of migration 1797000000200, each of which can be run again. */

export const DELIVERY_TABLES = /* sql */ `
CREATE SEQUENCE IF NOT EXISTS document_event_id;
CREATE TABLE IF NOT EXISTS event_consumer (
  name text NOT NULL,
  registered_at timestamptz NOT NULL,
  CONSTRAINT pk_event_consumer PRIMARY KEY (name)
);
CREATE TABLE IF NOT EXISTS event_delivery (
  tenant_id uuid NOT NULL,
  consumer text NOT NULL,
  document_id uuid NOT NULL,
  event_id bigint NOT NULL,
  transaction_id uuid NOT NULL,
  version integer,
  cancellation_id uuid,
  from_status text,
  to_status text,
  at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  owner uuid,
  error text,
  dead_at timestamptz,
  CONSTRAINT pk_event_delivery PRIMARY KEY (tenant_id, consumer, document_id, event_id),
  CONSTRAINT ck_event_delivery_source CHECK ((version IS NULL) <> (cancellation_id IS NULL))
);
CREATE INDEX IF NOT EXISTS ix_event_delivery_due ON event_delivery (consumer, due_at);
CREATE INDEX IF NOT EXISTS ix_event_delivery_dead ON event_delivery (consumer) WHERE dead_at IS NOT NULL;
`;

// Every role that changes an attempt or a cancellation makes its deliveries; the dispatcher works them off.
export const DELIVERY_SECURITY = /* sql */ `
ALTER TABLE event_delivery ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant_isolation ON event_delivery;
CREATE POLICY tenant_isolation ON event_delivery TO einvoice_app
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
DROP POLICY IF EXISTS dispatcher ON event_delivery;
CREATE POLICY dispatcher ON event_delivery TO einvoice_dispatcher USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS operator ON event_delivery;
CREATE POLICY operator ON event_delivery TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT ON event_consumer TO einvoice_app, einvoice_dispatcher, einvoice_operator;
GRANT INSERT ON event_consumer TO einvoice_dispatcher;
GRANT SELECT, INSERT ON event_delivery TO einvoice_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON event_delivery TO einvoice_dispatcher;
GRANT INSERT ON event_delivery TO einvoice_operator;
GRANT USAGE ON SEQUENCE document_event_id TO einvoice_app, einvoice_dispatcher, einvoice_operator;
`;

// Without a consumer each ends after one look at an empty table. An event has one id for all consumers; those of one
// attempt, and of one cancellation, are in the order of their commits, since each change holds the row's lock.
export const DELIVERY_FUNCTIONS = /* sql */ `
CREATE OR REPLACE FUNCTION deliver_acceptance() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM event_consumer) THEN
    RETURN NULL;
  END IF;
  WITH event AS MATERIALIZED (
    SELECT nextval('document_event_id') AS id, tenant_id, document_id, id AS transaction_id, version, created_at AS at
      FROM added)
  INSERT INTO event_delivery (tenant_id, consumer, document_id, event_id, transaction_id, version, at, due_at)
  SELECT e.tenant_id, c.name, e.document_id, e.id, e.transaction_id, e.version, e.at, e.at
    FROM event e CROSS JOIN event_consumer c;
  RETURN NULL;
END $$;

-- The document of each attempt is looked up by itself: a plain join leaves the planner free to read all attempts.
CREATE OR REPLACE FUNCTION deliver_status_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM event_consumer) THEN
    RETURN NULL;
  END IF;
  WITH event AS MATERIALIZED (
    SELECT nextval('document_event_id') AS id, a.tenant_id, t.document_id, a.transaction_id, a.version, a.at
      FROM added a
     CROSS JOIN LATERAL (
       SELECT document_id FROM document_transaction WHERE tenant_id = a.tenant_id AND id = a.transaction_id OFFSET 0) t)
  INSERT INTO event_delivery (tenant_id, consumer, document_id, event_id, transaction_id, version, at, due_at)
  SELECT e.tenant_id, c.name, e.document_id, e.id, e.transaction_id, e.version, e.at, e.at
    FROM event e CROSS JOIN event_consumer c;
  RETURN NULL;
END $$;

-- A cancellation has no history, so its delivery says what changed.
CREATE OR REPLACE FUNCTION deliver_cancellation() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM event_consumer) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    WITH event AS MATERIALIZED (
      SELECT nextval('document_event_id') AS event_id, tenant_id, document_id, transaction_id, id, status, updated_at
        FROM added)
    INSERT INTO event_delivery
      (tenant_id, consumer, document_id, event_id, transaction_id, cancellation_id, to_status, at, due_at)
    SELECT e.tenant_id, c.name, e.document_id, e.event_id, e.transaction_id, e.id, e.status, e.updated_at, e.updated_at
      FROM event e CROSS JOIN event_consumer c;
  ELSE
    WITH event AS MATERIALIZED (
      SELECT nextval('document_event_id') AS event_id, a.tenant_id, a.document_id, a.transaction_id, a.id,
             b.status AS from_status, a.status, a.updated_at
        FROM added a JOIN before b ON b.tenant_id = a.tenant_id AND b.id = a.id WHERE b.status <> a.status)
    INSERT INTO event_delivery
      (tenant_id, consumer, document_id, event_id, transaction_id, cancellation_id, from_status, to_status, at, due_at)
    SELECT e.tenant_id, c.name, e.document_id, e.event_id, e.transaction_id, e.id, e.from_status, e.status,
           e.updated_at, e.updated_at
      FROM event e CROSS JOIN event_consumer c;
  END IF;
  RETURN NULL;
END $$;
`;

/** One for each statement, not for each row. */
export const DELIVERY_TRIGGERS = [
  /* sql */ `CREATE OR REPLACE TRIGGER deliver_acceptance AFTER INSERT ON document_transaction
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deliver_acceptance()`,
  /* sql */ `CREATE OR REPLACE TRIGGER deliver_status_change AFTER INSERT ON status_event
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deliver_status_change()`,
  /* sql */ `CREATE OR REPLACE TRIGGER deliver_cancellation AFTER INSERT ON document_cancellation
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deliver_cancellation()`,
  /* sql */ `CREATE OR REPLACE TRIGGER deliver_cancellation_change AFTER UPDATE ON document_cancellation
    REFERENCING OLD TABLE AS before NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deliver_cancellation()`,
] as const;
