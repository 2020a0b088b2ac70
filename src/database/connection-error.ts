/** Why a database cannot be used by its address, and what to do; neither has a password in it. */
interface ConnectionProblem {
  readonly reason: string;
  readonly fix: string;
}

const FIREWALL = 'start PostgreSQL there, correct host and port, or open the firewall';
const CERTIFICATE = 'give sslrootcert=FILE with the certificate authority of the server, and the host by its name';
const SLEEPING = /^(?:timeout expired|timeout exceeded when trying to connect|Connection terminated)/;

/** By the code of the system or the SQL state, or by the words of a library that gives no code. */
const CAUSES: readonly (readonly [cause: RegExp, reason: string, fix: string])[] = [
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'has a host that is not known', 'correct the host, or the DNS of this machine'],
  [/^(?:ECONN\w+|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)$/, 'leads to no server that responds', FIREWALL],
  [SLEEPING, 'leads to no server that responds', FIREWALL],
  [/^28P01$/, 'is refused for its user or password', 'correct them; in an address @ is %40, : is %3A and / is %2F'],
  [/client password must be a/, 'has no password, which the server asks for', 'write USER:PASSWORD@ before the host'],
  [
    /^28000$/,
    'has a user that may not log in',
    'correct the user, give it LOGIN, or let pg_hba.conf admit it from here',
  ],
  [/^3D000$/, 'names a database that does not exist', 'correct the name behind the last /, or create the database'],
  [/^42501$/, 'has a user that may not open the database', 'GRANT CONNECT ON DATABASE to its role'],
  [/^53300$/, 'leads to a server without a free connection', 'raise max_connections, or lower DATABASE_POOL_SIZE'],
  [/^57P0[123]$/, 'leads to a server that starts or stops', 'wait until it runs'],
  [/^25006$/, 'leads to no server that takes writes', 'name the primary, or HAProxy that finds it (docs/failover.md)'],
  [/does not support SSL/, 'asks for TLS, which the server does not have', 'turn it on there, or remove sslmode'],
  [/^(?=\w+$)(?:UNABLE_TO_\w|\w*CERT)/, 'leads to a server whose certificate is not trusted', CERTIFICATE],
  [/^ENOENT$/, 'names a file that does not exist', 'correct sslrootcert, sslcert and sslkey'],
];

/** What an error of a new connection means for the setting that has its address. */
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

// If no address of a host can be reached, the driver throws one error without a text.
function readMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(readMessage).join('; ');
  return error instanceof Error ? error.message : String(error);
}
