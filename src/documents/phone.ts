import { MALAYSIA } from './code-lists.js';
import { saysNone } from './identity.js';
import { removeInvisible } from '../http/validation/text.js';

/** Stored format of a number (docs/rules.md#phone-numbers). The authority accepts 20 characters. */
const INTERNATIONAL = /^\+(?:\d{8,19}|(?!60)\d{7})$/;

// ITU E.164 allows 15 digits. More digits mean two numbers or an extension. Seven-digit numbers exist on some islands,
// but not in Malaysia.
const NORMALISED = /^\+(?:[1-9]\d{7,14}|(?!60)[1-9]\d{6})$/;

// A slash is not a separator, because it divides two numbers.
const SEPARATORS = /[\s().\-\u2010-\u2015\u2212]/gu;

// In Malaysian numbers, 8 to 10 digits follow the 0 or the 60.
const IN_MALAYSIA = /^(?:60|0)(?=[1-9]\d{7,9}$)/;

/** Returns null if the country is uncertain. For an address in Malaysia, a Malaysian number needs no `+60`. */
export function toInternationalPhone(sent: string, country: string): string | null {
  const trimmed = sent.trim();
  if (INTERNATIONAL.test(trimmed)) return trimmed;
  const bare = removeInvisible(trimmed.normalize('NFKC')).replace(SEPARATORS, '');
  const inFull = country === MALAYSIA ? bare.replace(IN_MALAYSIA, '+60') : bare;
  const international = inFull.replace(/^00(?=[1-9])/, '+').replace(/^\+600(?=[1-9])/, '+60');
  return NORMALISED.test(international) ? international : null;
}

const SECOND_NUMBER = /[/,;&|#\n]|\s(?=[+0]\d)|(?<![a-z])(?:or|atau|extension|extn|ext|sambungan|samb|x)(?![a-z])/i;

export function phoneHint(sent: string, country: string): string {
  if (saysNone(sent)) return 'leave it out';
  const [first] = sent.split(SECOND_NUMBER, 1);
  const international = first === sent ? null : toInternationalPhone(first, country);
  if (international !== null) return `use ${international}, one number without an extension; or leave it out`;
  return 'begin with + and the code of the country, such as +60398765432, or leave it out';
}
