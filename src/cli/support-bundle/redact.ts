import { parseJsonText } from '../../common/parse-json-text.js';
import { SETTING_FORMS } from '../../config/setting-forms.js';

/** What stands for what is left out. */
export const LEFT_OUT = '…';

type Environment = Readonly<Record<string, string | undefined>>;

/** A setting as others may see it: its value only if it has the form of one that is harmless. Pure. */
export function describeSettings(environment: Environment): object {
  const settings = Object.entries(SETTING_FORMS).map(([name, form]) => {
    const value = environment[name]?.trim() ?? '';
    if (value === '') return [name, { isSet: false }];
    if (form === null) return [name, { isSet: true }];
    return [name, form.test(value) ? { isSet: true, value } : { isSet: true, hasUsualForm: false }];
  });
  const prefixes = [...new Set(Object.keys(SETTING_FORMS).map((name) => name.split('_')[0]))];
  // A name that is written wrongly is not read, and looks as if it were set.
  const unknownNames = Object.keys(environment).filter(
    (name) => prefixes.includes(name.split('_')[0]) && name.includes('_') && !(name in SETTING_FORMS),
  );
  return { settings: Object.fromEntries(settings) as object, unknownNames: unknownNames.filter(isPlainName) };
}

function isPlainName(name: string): boolean {
  return /^[A-Z][A-Z_]{1,60}$/.test(name);
}

const SECRET_NAME = /KEY|SECRET|PASS|TOKEN|CREDENTIAL|AUTH|URL|HEADERS|COOKIE/i;
// A shorter one would take ordinary words out; no file has values of settings that are not shown.
const SECRET_CHARACTERS_MIN = 6;

/**
 * Takes every value of the environment that may be a secret out of a text, also as it stands in a URL or in JSON: the
 * last step, for what an error message or a log line may quote.
 */
export function createScrubber(environment: Environment): (text: string) => string {
  const values = Object.entries(environment).flatMap(([name, value = '']) => {
    const form = SETTING_FORMS[name];
    const isShown = form !== undefined && form !== null && form.test(value.trim());
    const mayBeSecret = form !== undefined || SECRET_NAME.test(name);
    return mayBeSecret && !isShown ? listForms(value.trim()) : [];
  });
  const secrets = [...new Set(values)].filter((value) => value.length >= SECRET_CHARACTERS_MIN);
  // A longer one first: another may be a part of it.
  secrets.sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, LEFT_OUT), text);
}

function listForms(value: string): string[] {
  const [, password = ''] = /^\w+:\/\/[^:@/]*:([^@]*)@/.exec(value) ?? [];
  const lines = value.split(/\n|\\n/).map((line) => line.trim());
  // Of one that was not escaped, messages quote the part that they take for a host.
  const [, unescaped = ''] = /^\w+:\/\/[^:@/]*:(.*)@/s.exec(value) ?? [];
  const parts = unescaped.split(/[,/:@?#]/);
  const plain = [value, ...(lines.length > 1 ? lines : []), password, decode(password), ...parts];
  return plain.flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// In one pass from the left, so that a quote in a comment, or a comment in a quote, opens nothing.
const SQL_VALUES =
  /\$\d+|\/\*[\s\S]*?(?:\*\/|$)|--[^\n]*|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\b\d[\w.]*/g;

/** A statement without the values in it: what a person typed may name a buyer. Pure. */
export function stripValues(statement: string): string {
  const stripped = statement.replaceAll(SQL_VALUES, (found: string) => {
    if (/^\$\d+$|^"[A-Za-z_]\w{0,62}"$/.test(found)) return found;
    return found.startsWith('--') || found.startsWith('/*') ? ' ' : LEFT_OUT;
  });
  return stripped.replaceAll(/\s+/g, ' ').trim();
}

/** The members of a log line that are shown, with what they must look like. */
const LOG_MEMBERS: Readonly<Record<string, RegExp>> = {
  level: /^\d{1,3}$/,
  time: /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/,
  context: /^\w{1,60}$/,
  loop: /^[a-z-]{1,40}$/,
  requestId: /^[\da-f-]{36}$/,
  traceId: /^[\da-f]{32}$/,
  tenantId: /^[\da-f-]{36}$/,
  environment: /^(?:sandbox|production)$/,
  keyId: /^[\da-f-]{36}$/,
  userId: /^[\da-f-]{36}$/,
  method: /^[A-Z]{3,7}$/,
  // With the names of its parameters, not with their values.
  route: /^\/[\w/:.*-]{0,120}$/,
  status: /^\d{3}$/,
  code: /^[a-z_]{1,60}$/,
  milliseconds: /^\d{1,9}(?:\.\d+)?$/,
  repeated: /^\d{1,9}$/,
};
const LOG_TEXTS = ['msg', 'message', 'error', 'stack'];

/** A line of the service's log as others may see it; null when it is none. What is not known to be harmless is left out. */
export function redactLogLine(line: string): string | null {
  const entry = parseObject(line);
  if (entry === null || typeof entry.level !== 'number') return null;
  const shown = Object.entries(entry).flatMap(([name, value]) => {
    if (LOG_TEXTS.includes(name) && typeof value === 'string') return [[name, redactText(value)]];
    const form = Object.hasOwn(LOG_MEMBERS, name) ? LOG_MEMBERS[name] : null;
    const isShown = form !== null && (typeof value === 'string' || typeof value === 'number');
    return isShown && form.test(String(value)) ? [[name, value]] : [];
  });
  return JSON.stringify(Object.fromEntries(shown));
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const parsed = parseJsonText(line);
    return typeof parsed === 'object' && parsed !== null ? Object.fromEntries(Object.entries(parsed)) : null;
  } catch {
    return null;
  }
}

/** A line of a stack trace, and the file and line that it names. */
const FRAME = /^\s*at (?:(?:async |new )?[\w.<>$ [\]]{1,80} \()?([^()]*)\)?$/;
const FRAME_PLACE = /(?:node_modules|dist|src|internal)\/[\w@./+-]+:\d+:\d+$/;
const FRAME_CHARACTERS_MAX = 300;

/** A message, word for word where a word is plainly none of a person, a company, a key or a number. Pure. */
export function redactText(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const place = findFramePlace(line);
      return place === null ? redactWords(line) : `    at ${place}`;
    })
    .join('\n');
}

function findFramePlace(line: string): string | null {
  if (line.length > FRAME_CHARACTERS_MAX) return null;
  const [, file = ''] = FRAME.exec(line) ?? [];
  return FRAME_PLACE.exec(file)?.[0] ?? null;
}

const SHOWN_WORDS: readonly RegExp[] = [
  // An ordinary word; a name begins with a capital.
  /^[(]?[a-z]{1,20}(?:['-][a-z]{1,20})*[).,:;!?]{0,2}$/,
  // A short number, with its unit.
  /^[(]?\d{1,5}(?:\.\d{1,3})?(?:ms|s|%)?[).,:;]{0,2}$/,
  // What the program, the database and the system call their things.
  /^[(]?[a-z]{2,20}(?:_[a-z\d]{1,20}){1,6}[).,:;]{0,2}$/,
  /^"(?:uq|pk|fk|ck|ix|einvoice)_[a-z_]{1,60}"[.,:;]?$/,
  /^E[A-Z]{4,14}[,:;]?$/,
  /^[A-Z][A-Za-z]{2,30}Error:?$/,
  /^AUTHORITY_[A-Z_]{4,40}[.,:;]?$/,
];
// An id that the authority gives each of its responses, by which its support finds a call.
const CORRELATION_ID = /^(?=.*\d)[\dA-Za-z:.|_-]{8,80}[),;]?$/;
const FIRST_WORD = /^[A-Z][a-z]{0,20}[,:]?$/;
// What people call one: a first word may be one.
const WORDS_OF_MESSAGES: ReadonlySet<string> = new Set(
  `A The No Not An Another Documents Document Calls Login Last Rate Held Spans Events Tables Nest Error Connection
   Mapped Cannot Could Query Timeout Unexpected`.split(/\s+/),
);

function redactWords(line: string): string {
  return line
    .split(/\s+/)
    .map((word, index, words) => {
      if (SHOWN_WORDS.some((form) => form.test(word))) return word;
      if (Object.hasOwn(SETTING_FORMS, word.replace(/[.,:;]$/, ''))) return word;
      if (words[index - 1] === 'correlation' && CORRELATION_ID.test(word)) return word;
      const isFirst = index === 0 && FIRST_WORD.test(word) && WORDS_OF_MESSAGES.has(word.replace(/[,:]$/, ''));
      return isFirst ? word : LEFT_OUT;
    })
    .join(' ');
}

/** The lines of a metrics page that are the service's; its labels name no organisation. Pure. */
export function keepOwnMetrics(page: string): string {
  const own = page.split('\n').filter((line) => /^(?:# (?:HELP|TYPE) )?(?:einvoice|process|nodejs)_/.test(line));
  return `${own.join('\n')}\n`;
}
