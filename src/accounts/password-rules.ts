import { ValidationError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';

/** What a password must not be made of: the person's e-mail address, the names of their organisations. */
export interface PasswordContext {
  readonly email: string;
  readonly organisations: readonly { readonly name: string }[];
}

// What people add to a well-known word until it is long enough.
const PADDING_BEFORE = /^[^\p{L}]*/u;
const PADDING_AFTER = /[^\p{L}]*$/u;
const NOT_IN_A_WORD = /[^\p{L}\p{N}]/gu;
const REPEATED = /^(.+?)\1+$/u;
// Shorter words are in many passwords by chance; with fewer characters besides, little is left to guess.
const WORD_CHARACTERS_MIN = 4;
const NUMBER_CHARACTERS_MIN = 6;
const OTHER_CHARACTERS_MIN = 6;

let common: Promise<ReadonlySet<string>> | undefined;

// Loaded for the first password that is chosen: most processes never see one.
function readCommon(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']));
  return common;
}

/**
 * NIST SP 800-63B, 3.1.1.2: a password is compared with those that are common, and with what an attacker knows of the
 * person.
 * @param pointer the member of the body that has the password
 * @throws ValidationError (400)
 */
export async function assertPasswordIsGood(password: string, context: PasswordContext, pointer: string): Promise<void> {
  const problem = (await isCommon(password)) ? COMMON : isPersonal(password, context) ? PERSONAL : null;
  if (problem !== null) throw new ValidationError([{ pointer, ...problem }]);
}

const HINT = 'use four or five words that do not belong together';
const COMMON: Omit<Problem, 'pointer'> = {
  rule: 'password_common',
  message: 'is one of the commonest passwords, or one of them with digits or signs around it, or repeats itself',
  hint: HINT,
};
const PERSONAL: Omit<Problem, 'pointer'> = {
  rule: 'password_personal',
  message: "is little more than your e-mail address or your organisation's name",
  hint: HINT,
};

async function isCommon(password: string): Promise<boolean> {
  const known = await readCommon();
  const text = password.normalize('NFKC').toLowerCase();
  if (known.has(text) || REPEATED.test(text)) return true;
  const before = PADDING_BEFORE.exec(text)?.[0].length ?? 0;
  const core = text.slice(before).replace(PADDING_AFTER, '');
  const unit = REPEATED.exec(core)?.[1];
  if (unit !== undefined && known.has(unit)) return true;
  return core === '' ? startsOrEndsWith(text, known) : isPadded(text, { before, core }, known);
}

function isPadded(
  text: string,
  { before, core }: { before: number; core: string },
  known: ReadonlySet<string>,
): boolean {
  // What belongs to the word and what was added is not known: abc123 is a common one with its digits.
  for (let start = 0; start <= before; start += 1) {
    for (let end = before + core.length; end <= text.length; end += 1) {
      if (end - start >= WORD_CHARACTERS_MIN && known.has(text.slice(start, end))) return true;
    }
  }
  return false;
}

/** For a text without letters, in which short common numbers are by chance. */
function startsOrEndsWith(text: string, known: ReadonlySet<string>): boolean {
  for (let length = NUMBER_CHARACTERS_MIN; length <= text.length; length += 1) {
    if (known.has(text.slice(0, length)) || known.has(text.slice(-length))) return true;
  }
  return false;
}

function isPersonal(password: string, { email, organisations }: PasswordContext): boolean {
  const text = toWord(password);
  const [local = '', domain = ''] = email.split('@');
  const words = [
    email,
    local,
    domain,
    domain.slice(0, domain.lastIndexOf('.')),
    ...organisations.map(({ name }) => name),
  ].map(toWord);
  return words.some(
    (word) =>
      word.length >= WORD_CHARACTERS_MIN &&
      text.includes(word) &&
      text.replaceAll(word, '').length < OTHER_CHARACTERS_MIN,
  );
}

function toWord(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(NOT_IN_A_WORD, '');
}
