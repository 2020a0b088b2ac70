import { MALAYSIA } from './code-lists.js';
import { saysNone } from './identity-hints.js';
import { removeInvisible } from './invisible.js';

/** As the caller sends it and as it is kept (docs/rules.md#phone-numbers): the authority takes 20 characters. */
const INTERNATIONAL = /^\+(?:\d{8,19}|(?!60)\d{7})$/;

// The authority takes 8 characters, which some islands have and Malaysia has not. ITU E.164: 15 digits with the country's. More of them are two numbers, or an extension.
const NORMALISED = /^\+(?:[1-9]\d{7,14}|(?!60)[1-9]\d{6})$/;

// Full width is made narrow before. A slash is none: it stands between two numbers.
const SEPARATORS = /[\s().\-\u2010-\u2015\u2212]/gu;

// Of a Malaysian number 8 to 10 digits follow its 0, or the country's 60 in place of it.
const IN_MALAYSIA = /^(?:60|0)(?=[1-9]\d{7,9}$)/;

/**
 * The number in international form where its country is plain: it says so itself, after `+` or `00`, or it is a
 * Malaysian number of an address in Malaysia. Null for every other text.
 */
export function toInternationalPhone(sent: string, country: string): string | null {
  const trimmed = sent.trim();
  if (INTERNATIONAL.test(trimmed)) return trimmed;
  const bare = removeInvisible(trimmed.normalize('NFKC')).replace(SEPARATORS, '');
  const inFull = country === MALAYSIA ? bare.replace(IN_MALAYSIA, '+60') : bare;
  // The 0 in `+60 (0)12` is for calls within the country.
  const international = inFull.replace(/^00(?=[1-9])/, '+').replace(/^\+600(?=[1-9])/, '+60');
  return NORMALISED.test(international) ? international : null;
}

// Between two numbers, and before an extension.
const SECOND_NUMBER = /[/,;&|#\n]|\s(?=[+0]\d)|(?<![a-z])(?:or|atau|extension|extn|ext|sambungan|samb|x)(?![a-z])/i;

/** How a telephone number of another form may be corrected. */
export function phoneHint(sent: string, country: string): string {
  if (saysNone(sent)) return 'leave it out';
  const [first] = sent.split(SECOND_NUMBER, 1);
  const international = first === sent ? null : toInternationalPhone(first, country);
  if (international !== null) return `use ${international}, one number without an extension; or leave it out`;
  return 'begin with + and the code of the country, such as +60398765432, or leave it out';
}
