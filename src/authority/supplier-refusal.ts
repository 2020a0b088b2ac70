import type { AuthorityError } from './authority-errors.js';

const PERMISSION_CODES: ReadonlySet<string> = new Set([
  'IncorrectSubmitter',
  'Forbidden',
  'AccessDenied',
  'Unauthorized',
]);
const PERMISSION_WORDS =
  /\b(?:(?:permission|permitted|not (?:allowed|authori[sz]ed)|access denied|forbidden|intermediary|on ?behalf)\b|appoint)/i;
// Matches the observed message "The authenticated TIN and documents TIN is not matching".
const SUPPLIER_WORDS =
  /\b(?:authenticat\w|(?:log(?:ged)? ?in|access token|user blocked|supplier|submitter|issuer|taxpayer)\b)/i;
const OTHER_PARTY = /\b(?:buyer|customer|receiver|recipient)\b/i;

/** Returns which party a refusal concerns. Errors with a path concern a document. */
export function findRefusedParty(errors: readonly AuthorityError[]): 'permission' | 'supplier' | null {
  const whole = errors.filter(
    ({ path, message }) => (path === null || path === 'submission') && !OTHER_PARTY.test(message),
  );
  const isAbout = (words: RegExp): boolean => whole.some(({ message }) => words.test(message));
  if (whole.some(({ code }) => PERMISSION_CODES.has(code ?? '')) || isAbout(PERMISSION_WORDS)) return 'permission';
  return isAbout(SUPPLIER_WORDS) ? 'supplier' : null;
}
