const CHARACTERS_MAX = 300;
const LOGIN_PATH = '/connect/token';
const NOT_TLS = /wrong version number|packet length too long|record layer failure|unknown protocol/i;

/** Describes a connection failure. Omits the axios error itself, because it contains the token or client secret. */
export function describeConnectionFailure(error: unknown, url: string): string {
  if (!(error instanceof Error)) return 'the request failed';
  const { host, protocol, pathname } = new URL(url);
  const code = 'code' in error ? String(error.code) : null;
  const message = readMessage(error);
  if (code === null) return message;
  return `${code}: ${explain(code, { message, host, maySpeakTls: protocol === 'http:' && pathname.endsWith(LOGIN_PATH) }) ?? message}`;
}

interface FailedRequest {
  readonly message: string;
  readonly host: string;
  /** Whether the call is a login over plain HTTP. */
  readonly maySpeakTls: boolean;
}

function explain(code: string, { message, host, maySpeakTls }: FailedRequest): string | null {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `DNS has no address for ${host}`;
  if (code.startsWith('HPE_')) return `${host} does not speak HTTP (${message})`;
  if (NOT_TLS.test(message)) return `${host} does not speak TLS`;
  if (isCertificateCode(code)) return `the TLS certificate of ${host} is not trusted (${message})`;
  if (code === 'ECONNRESET' && maySpeakTls) return `${host} closed the connection; it may expect https:// (${message})`;
  return null;
}

function isCertificateCode(code: string): boolean {
  return /CERT|^UNABLE_TO_|^ERR_TLS_|^INVALID_(?:CA|PURPOSE)$|^HOSTNAME_MISMATCH$/.test(code);
}

// Node tries all addresses of a name and reports the failures in an AggregateError without a message.
function readMessage(error: Error): string {
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const messages = [error.message, ...inner.map((each) => (each instanceof Error ? each.message : ''))];
  const text = messages.find((each) => each.trim() !== '') ?? error.name;
  return text.replace(/\s+/g, ' ').trim().slice(0, CHARACTERS_MAX);
}
