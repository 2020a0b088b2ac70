import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';

/** Settings of a run. The environment variables keep keys out of the process list. */
export interface Settings {
  /** Base address without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** API key of another organisation. */
  readonly secondKey: string | null;
  readonly authority: 'simulator' | 'real';
  /** Path of the JUnit report. */
  readonly junit: string;
  /** Runs only checks whose title contains this text. */
  readonly only: string | null;
  /** Prefix of all document numbers and idempotency keys of the run. */
  readonly run: string;
}

export const USAGE = `Usage: npm run test:sandbox -- --base-url URL --api-key KEY [options]

  --base-url URL      EINVOICE_BASE_URL    address of the service, with its path: http://127.0.0.1:3000/api
  --api-key KEY       EINVOICE_API_KEY     sandbox key of an organisation that no other client uses during the run
  --second-key KEY    EINVOICE_SECOND_KEY  sandbox key of another organisation, best with fewer than 100 credits
  --authority real    EINVOICE_AUTHORITY   the service uses the tax authority's own sandbox, not the simulator
  --junit FILE        EINVOICE_JUNIT       path of the JUnit report, sandbox-suite.xml by default
  --only TEXT                              runs only checks whose title contains the text
`;

/** The run cannot start. The message states the fix. */
export class RefusedRun extends Error {}

const SANDBOX_KEY = 'eisk_test_';

/** @throws RefusedRun with the wrong option and the fix */
export function readSettings(words: readonly string[], environment: NodeJS.ProcessEnv, now = new Date()): Settings {
  const given = parseWords(words);
  const read = (option: keyof typeof given, variable: string): string | null =>
    given[option] ?? (environment[variable] || null);
  const apiKey = readKey('--api-key', read('api-key', 'EINVOICE_API_KEY'));
  const secondKey = read('second-key', 'EINVOICE_SECOND_KEY');
  if (apiKey === null) throw new RefusedRun(`--api-key (or EINVOICE_API_KEY) is missing\n\n${USAGE}`);
  if (secondKey === apiKey) throw new RefusedRun('--second-key must be the key of another organisation');
  return {
    baseUrl: readUrl(read('base-url', 'EINVOICE_BASE_URL')),
    apiKey,
    secondKey: readKey('--second-key', secondKey),
    authority: readAuthority(read('authority', 'EINVOICE_AUTHORITY') ?? 'simulator'),
    junit: read('junit', 'EINVOICE_JUNIT') ?? 'sandbox-suite.xml',
    only: given.only ?? null,
    run: nameRun(now),
  };
}

function parseWords(words: readonly string[]): Partial<Record<string, string>> {
  const option = { type: 'string' } as const;
  const options = {
    'base-url': option,
    'api-key': option,
    'second-key': option,
    authority: option,
    junit: option,
    only: option,
  };
  try {
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    throw new RefusedRun(`${(error as Error).message}\n\n${USAGE}`);
  }
}

/** Rejects production keys without an override, because the suite sends fictitious documents. */
function readKey(option: string, key: string | null): string | null {
  if (key === null || key.startsWith(SANDBOX_KEY)) return key;
  throw new RefusedRun(
    `${option} is not a sandbox key: the suite sends fictitious documents and accepts only ${SANDBOX_KEY} keys`,
  );
}

function readUrl(text: string | null): string {
  if (text === null) throw new RefusedRun(`--base-url (or EINVOICE_BASE_URL) is missing\n\n${USAGE}`);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new RefusedRun(`--base-url must be an address such as http://127.0.0.1:3000/api; "${text}" is not one`);
  }
  return text.replace(/\/+$/, '');
}

function readAuthority(text: string): Settings['authority'] {
  if (text === 'simulator' || text === 'real') return text;
  throw new RefusedRun(`--authority must be "simulator" or "real"; "${text}" is neither`);
}

/** Adds random digits to the time, because two runs may start in the same second. */
function nameRun(now: Date): string {
  const time = now.toISOString().slice(2, 19).replaceAll(/\D/g, '');
  return `QA${time}${randomBytes(2).toString('hex')}`.toUpperCase();
}
