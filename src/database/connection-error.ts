interface ConnectionProblem {
  readonly reason: string;
  readonly fix: string;
}

const FIREWALL = 'start PostgreSQL there, correct host and port, or open the firewall';
const CERTIFICATE =
  'set sslrootcert=FILE to the certificate authority of the server, and use the host name of its certificate';
const SLEEPING = /^(?:timeout expired|timeout exceeded when trying to connect|Connection terminated)/;

/** Matched against the system error code, the SQL state and the message. */
const CAUSES: readonly (readonly [cause: RegExp, reason: string, fix: string])[] = [
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'names an unknown host', 'correct the host, or the DNS of this machine'],
  [/^(?:ECONN\w+|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)$/, 'points to a server that does not respond', FIREWALL],
  [SLEEPING, 'points to a server that does not respond', FIREWALL],
  [/^28P01$/, 'has a wrong user or password', 'correct them; encode @ as %40, : as %3A and / as %2F'],
  [/client password must be a/, 'lacks the password that the server requires', 'add USER:PASSWORD@ before the host'],
  [/^28000$/, 'has a user that may not log in', 'correct the user, grant it LOGIN, or allow it in pg_hba.conf'],
  [/^3D000$/, 'names a database that does not exist', 'correct the name behind the last /, or create the database'],
  [/^42501$/, 'has a user that may not connect to the database', 'GRANT CONNECT ON DATABASE to its role'],
  [/^53300$/, 'points to a server without free connections', 'raise max_connections, or lower DATABASE_POOL_SIZE'],
  [/^57P0[123]$/, 'points to a server that is starting or stopping', 'wait until it is running'],
  [/^25006$/, 'points to a read-only server', 'use the primary, or an HAProxy that routes to it (docs/failover.md)'],
  [
    /does not support SSL/,
    'requires TLS, which the server does not support',
    'enable TLS on the server, or remove sslmode',
  ],
  [/^(?=\w+$)(?:UNABLE_TO_\w|\w*CERT)/, 'points to a server with an untrusted certificate', CERTIFICATE],
  [/^ENOENT$/, 'names a file that does not exist', 'correct sslrootcert, sslcert and sslkey'],
];

export function describeConnectionError(error: unknown, url: string): ConnectionProblem {
  const message = readMessage(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [, reason, fix] = CAUSES.find(([cause]) => cause.test(code) || cause.test(message)) ?? [
    null,
    'cannot be used',
    'compare it with docs/operations.md#database',
  ];
  return { reason: `${reason}: ${readHost(url)}: ${message}`, fix };
}

function readHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

// If no address of a host can be reached, the driver throws an AggregateError without a message.
function readMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(readMessage).join('; ');
  return error instanceof Error ? error.message : String(error);
}
