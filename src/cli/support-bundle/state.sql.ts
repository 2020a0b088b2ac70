// What a support bundle reads of the database: figures and names of its own things, and no column that an organisation
// filled.

/** Of the server and its session; `mayReadAll`: whether the role sees the sessions of others. */
export const SERVER = /* sql */ `
  SELECT version() AS version, pg_postmaster_start_time() AS "startedAt", now() AS now,
         pg_database_size(current_database())::float8 AS "databaseBytes", pg_encoding_to_char(d.encoding) AS encoding,
         d.datcollate::text AS collation, current_user::text AS role,
         pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS "mayReadAll",
         (SELECT jsonb_object_agg(name, setting || coalesce(unit, '')) FROM pg_settings
           WHERE name IN ('max_connections', 'shared_buffers', 'work_mem', 'wal_level', 'archive_mode', 'archive_timeout',
                          'synchronous_commit', 'synchronous_standby_names', 'autovacuum', 'fsync', 'full_page_writes',
                          'statement_timeout', 'idle_in_transaction_session_timeout', 'TimeZone')) AS settings
    FROM pg_database d WHERE d.datname = current_database()`;

export const MIGRATIONS = /* sql */ `SELECT name::text AS name FROM schema_migration ORDER BY id`;

export const TABLES = /* sql */ `
  SELECT c.relname::text AS "table", greatest(c.reltuples, 0)::float8 AS "rowsEstimate",
         pg_relation_size(c.oid)::float8 AS "tableBytes", pg_indexes_size(c.oid)::float8 AS "indexBytes",
         pg_total_relation_size(c.oid)::float8 AS "totalBytes", s.n_dead_tup::float8 AS "deadRows",
         s.last_autovacuum AS "vacuumedAt", s.last_autoanalyze AS "analyzedAt"
    FROM pg_class c LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
   ORDER BY pg_total_relation_size(c.oid) DESC`;

export const TASKS = /* sql */ `
  SELECT name, last_run_at AS "lastRunAt", extract(epoch FROM service_now() - last_run_at)::float8 AS "secondsAgo"
    FROM housekeeping_task ORDER BY name`;

export const RECOVERIES = /* sql */ `
  SELECT r.since, r.began_at AS "beganAt", r.ended_at AS "endedAt",
         (SELECT count(*)::integer FROM recovery_tenant x WHERE x.recovery_id = r.id AND x.released_at IS NOT NULL) AS released,
         (SELECT jsonb_object_agg(state, documents)
            FROM (SELECT state, count(*) AS documents FROM found_document GROUP BY state) f) AS "foundDocuments"
    FROM recovery r ORDER BY r.began_at DESC LIMIT 5`;

/** How many connections each kind of process has, and what they do. */
export const CONNECTIONS = /* sql */ `
  SELECT application_name AS application, usename::text AS role, state, wait_event_type AS "waitsFor",
         count(*)::integer AS connections, max(extract(epoch FROM now() - state_change))::float8 AS "longestSeconds"
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
   GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`;

/** Open for a second or longer, or waiting for a lock; the oldest first. */
export const LONG_TRANSACTIONS = /* sql */ `
  SELECT pid, application_name AS application, usename::text AS role, state, wait_event_type AS "waitEventType",
         wait_event AS "waitEvent", extract(epoch FROM now() - xact_start)::float8 AS "transactionSeconds",
         extract(epoch FROM now() - query_start)::float8 AS "statementSeconds", pg_blocking_pids(pid) AS "blockedBy",
         query AS statement
    FROM pg_stat_activity
   WHERE datname = current_database() AND pid <> pg_backend_pid()
     AND (xact_start < now() - interval '1 second' OR wait_event_type = 'Lock')
   ORDER BY xact_start LIMIT 50`;

export const WAITING_LOCKS = /* sql */ `
  SELECT l.pid, l.locktype, l.mode, c.relname::text AS "table"
    FROM pg_locks l LEFT JOIN pg_class c ON c.oid = l.relation AND c.relnamespace = 'public'::regnamespace
   WHERE NOT l.granted AND (l.database IS NULL OR l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
   ORDER BY l.pid LIMIT 100`;
