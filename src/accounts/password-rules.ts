import { ValidationError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';

export interface PasswordContext {
  readonly email: string;
  readonly organisations: readonly { readonly name: string }[];
}

// Padding that users add to a well-known word.
const PADDED = /^(?<padding>[^\p{L}]*)(?<core>(?:[^]*\p{L})?)/u;
const NOT_IN_A_WORD = /[^\p{L}\p{N}]/gu;
// Shorter words occur by chance in many passwords.
const WORD_CHARACTERS_MIN = 4;
const NUMBER_CHARACTERS_MIN = 6;
const OTHER_CHARACTERS_MIN = 6;

interface CommonPasswords {
  readonly words: ReadonlySet<string>;
  /** Length of the longest word; NFKC may expand a password to 18 times its length. */
  readonly charactersMax: number;
}

let common: Promise<CommonPasswords> | undefined;

function readCommon(): Promise<CommonPasswords> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    const words = dictionary['passwords-common'];
    return { words: new Set(words), charactersMax: words.reduce((max, { length }) => Math.max(max, length), 0) };
  });
  return common;
}

/**
 * Rejects common passwords and those made of personal data (NIST SP 800-63B, 3.1.1.2).
 * @param pointer JSON pointer of the password in the body
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
  if (known.words.has(text) || findRepeatedUnit(text) !== null) return true;
  const { padding = '', core = '' } = PADDED.exec(text)?.groups ?? {};
  const unit = findRepeatedUnit(core);
  if (unit !== null && known.words.has(unit)) return true;
  return core === '' ? startsOrEndsWith(text, known) : isPadded(text, { before: padding.length, core }, known);
}

function isPadded(
  text: string,
  { before, core }: { before: number; core: string },
  { words, charactersMax }: CommonPasswords,
): boolean {
  // Digits may belong to the word, as in the common password `abc123`.
  const coreEnd = before + core.length;
  for (let start = Math.max(0, coreEnd - charactersMax); start <= before; start += 1) {
    const endMax = Math.min(text.length, start + charactersMax);
    for (let end = coreEnd; end <= endMax; end += 1) {
      if (end - start >= WORD_CHARACTERS_MIN && words.has(text.slice(start, end))) return true;
    }
  }
  return false;
}

/** Checks a password without letters. Short common numbers elsewhere in it occur by chance. */
function startsOrEndsWith(text: string, { words, charactersMax }: CommonPasswords): boolean {
  const lengthMax = Math.min(text.length, charactersMax);
  for (let length = NUMBER_CHARACTERS_MIN; length <= lengthMax; length += 1) {
    if (words.has(text.slice(0, length)) || words.has(text.slice(-length))) return true;
  }
  return false;
}

/** Returns the shortest unit that `text` repeats, or null. Linear time (Knuth, Morris and Pratt). */
function findRepeatedUnit(text: string): string | null {
  // For each prefix, the length of its longest proper prefix that is also its suffix.
  const borders = new Uint32Array(text.length);
  for (let index = 1, border = 0; index < text.length; index += 1) {
    while (border > 0 && text[index] !== text[border]) border = borders[border - 1];
    if (text[index] === text[border]) border += 1;
    borders[index] = border;
  }
  const unitLength = text.length - (borders.at(-1) ?? 0);
  return unitLength < text.length && text.length % unitLength === 0 ? text.slice(0, unitLength) : null;
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
