/** Time after which a silent process counts as stopped. */
const SILENT_SECONDS = 60;
const SILENCE = `interval '${SILENT_SECONDS} seconds'`;
// A report in the future was stored before the clock was set back; a running process replaces it.
const IS_RUNNING = `reported_at BETWEEN service_now() - ${SILENCE} AND service_now() + ${SILENCE}`;
const KEPT = `interval '1 day'`;

// $1 id, $2 role, $3 host, $4 pid, $5 metrics port, $6 version, $7 environments, $8 fingerprints, $9 logins.
export const REPORT = /* sql */ `
  INSERT INTO service_process (id, role, host, pid, metrics_port, version, environments, fingerprints, logins, started_at,
                               reported_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, service_now(), service_now())
  ON CONFLICT (id) DO UPDATE SET logins = excluded.logins, reported_at = excluded.reported_at`;

// A process replaces the silent process with the same host and metrics port. Port 0 means any free port and identifies
// no process. Rows that another process deletes at the same time are skipped. $1 id, $2 role, $3 host, $4 metrics port.
export const FORGET_GONE = /* sql */ `
  DELETE FROM service_process WHERE id IN (
    SELECT id FROM service_process
     WHERE id <> $1
       AND (reported_at NOT BETWEEN service_now() - ${KEPT} AND service_now() + ${KEPT}
            OR (role = $2 AND host = $3 AND metrics_port = $4 AND metrics_port <> 0 AND NOT ${IS_RUNNING}))
       FOR UPDATE SKIP LOCKED)`;

export const FORGET = /* sql */ `DELETE FROM service_process WHERE id = $1`;

export const FIND_OTHER_PROCESSES = /* sql */ `
  SELECT id, role, host, pid, metrics_port AS "metricsPort", fingerprints FROM service_process
   WHERE id <> $1 AND ${IS_RUNNING}
   ORDER BY role, host, metrics_port, id LIMIT 100`;

/** Reads whether running processes have the `SECRETS_KEY` with the fingerprint $1, or another one. */
export const COMPARE_KEYS = /* sql */ `
  SELECT coalesce(bool_or(fingerprints ->> 'SECRETS_KEY' <> $1), false) AS "isOther",
         coalesce(bool_or(fingerprints ->> 'SECRETS_KEY' = $1), false) AS "isShared"
    FROM service_process WHERE ${IS_RUNNING}`;

export const PROCESSES = /* sql */ `
  SELECT id, role, host, pid, metrics_port AS "metricsPort", version, environments, fingerprints, logins,
         ${IS_RUNNING} AS "isRunning", extract(epoch FROM service_now() - reported_at)::float8 AS "silentSeconds"
    FROM service_process ORDER BY role, host, metrics_port, started_at, id LIMIT 1000`;
