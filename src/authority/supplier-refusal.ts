import type { AuthorityError } from './authority-errors.js';

const PERMISSION_CODES: ReadonlySet<string> = new Set([
  'IncorrectSubmitter',
  'Forbidden',
  'AccessDenied',
  'Unauthorized',
]);
const PERMISSION_WORDS =
  /\b(?:(?:permission|permitted|not (?:allowed|authori[sz]ed)|access denied|forbidden|intermediary|on ?behalf)\b|appoint)/i;
// "The authenticated TIN and documents TIN is not matching" is the one that was seen.
const SUPPLIER_WORDS =
  /\b(?:authenticat\w|(?:log(?:ged)? ?in|access token|user blocked|supplier|submitter|issuer|taxpayer)\b)/i;
const OTHER_PARTY = /\b(?:buyer|customer|receiver|recipient)\b/i;

/**
 * Whether a submit was refused for whom it was made, and not for what is in it: every other call in the name of this
 * taxpayer would be refused alike, whichever documents it carries. What points into a document is about that document.
 * @returns `permission` where the service may not act for the taxpayer, `supplier` for its TIN, its login or its state
 */
export function findRefusedParty(errors: readonly AuthorityError[]): 'permission' | 'supplier' | null {
  const whole = errors.filter(
    ({ path, message }) => (path === null || path === 'submission') && !OTHER_PARTY.test(message),
  );
  const isAbout = (words: RegExp): boolean => whole.some(({ message }) => words.test(message));
  if (whole.some(({ code }) => PERMISSION_CODES.has(code ?? '')) || isAbout(PERMISSION_WORDS)) return 'permission';
  return isAbout(SUPPLIER_WORDS) ? 'supplier' : null;
}
