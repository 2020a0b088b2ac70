import type { Problem } from '../../common/problem.js';
import { decimalOf, plainText } from '../../common/decimal.js';
import { hasBirthDate, hasFineTinShape, looksLikeBrn, looksLikeNric, tinDoubtHint } from '../identity-hints.js';
import { FOREIGN_BUYER_TIN, FOREIGN_SUPPLIER_TIN } from '../identity.js';
import { BEFORE_E_INVOICING, isUuidOfAuthority } from '../parent-uuid.js';
import type { LineItem, Recipient, SimplifiedDocument } from '../simplified-document.js';
import { type Rule, applyRules } from './rule.js';

// What an acceptable document makes doubtful (D4): the authority decides, and the caller may still think again. Rules
// over the documents as they are kept, since only an accepted document is warned about.

/** In ringgit: one sale above it needs a document of its own. */
const CONSOLIDATED_SALE_MAX = 10_000;

const DOCUMENT_WARNINGS: readonly Rule<SimplifiedDocument>[] = [
  {
    rule: 'related_invoice_authority_uuid_doubtful',
    member: 'relatedInvoice/authorityUuid',
    isBroken: ({ relatedInvoice }) => isDoubtful(relatedInvoice?.authorityUuid ?? null),
    message: "is no id of the authority's form, which has 26 letters and digits; the authority will probably refuse it",
    hint: 'take it from the status of the invoice, or from the portal of the authority',
  },
];

const RECIPIENT_WARNINGS: readonly Rule<Recipient>[] = [
  {
    // CF358.
    rule: 'recipient_tin_doubtful',
    member: 'tin',
    isBroken: ({ tin }) => !hasFineTinShape(tin),
    message: "has not the form of the authority's TINs and will probably be refused",
    hint: ({ tin }) => tinDoubtHint(tin),
  },
  {
    // The authority's list names it for self-billed documents, where the supplier is the foreigner (ERR208).
    rule: 'recipient_tin_of_suppliers',
    member: 'tin',
    isBroken: ({ tin }) => tin === FOREIGN_SUPPLIER_TIN,
    message: 'is the general TIN of foreign suppliers and will probably be refused for a buyer',
    hint: `a foreign buyer without a TIN has ${FOREIGN_BUYER_TIN}`,
  },
  {
    // CF324 and ERR206: the most frequent reasons for a refusal.
    rule: 'recipient_nric_doubtful',
    member: 'nric',
    isBroken: ({ idType, idValue }) => idType === 'NRIC' && !hasBirthDate(idValue),
    message: 'does not begin with a date of birth (YYMMDD), as every NRIC does',
    hint: ({ idValue }) =>
      looksLikeBrn(idValue) ? 'a BRN is sent as brn, with entity_type company' : 'compare it with the identity card',
  },
  {
    rule: 'recipient_brn_doubtful',
    member: 'brn',
    isBroken: ({ idType, idValue }) => idType === 'BRN' && looksLikeNric(idValue),
    message: 'looks like the NRIC of a person and not like the number of a business',
    hint: 'an NRIC is sent as nric, with entity_type individual',
  },
];

const CONSOLIDATED_LINE_WARNINGS: readonly Rule<LineItem>[] = [
  {
    rule: 'line_consolidated_amount',
    member: 'lineTotal',
    isBroken: ({ lineTotal }) => lineTotal > CONSOLIDATED_SALE_MAX,
    message: ({ lineTotal }) =>
      `is ${plainText(decimalOf(lineTotal))}: a single sale above RM ${CONSOLIDATED_SALE_MAX.toLocaleString('en')} must not be consolidated`,
    hint: 'send it as a document of its own, unless the line sums up several sales',
  },
];

function isDoubtful(uuid: string | null): boolean {
  return uuid !== null && uuid !== BEFORE_E_INVOICING && !isUuidOfAuthority(uuid);
}

/** Every identifier of a warning about values, in the order of the tables. */
export const WARNING_RULE_IDS: readonly string[] = [
  ...DOCUMENT_WARNINGS.map(({ rule }) => rule),
  ...RECIPIENT_WARNINGS.map(({ rule }) => rule),
  ...CONSOLIDATED_LINE_WARNINGS.map(({ rule }) => rule),
];

/** Appends what is doubtful about an acceptable document; `pointer` leads to it. */
export function warnAbout(document: SimplifiedDocument, pointer: string, warnings: Problem[]): void {
  applyRules(DOCUMENT_WARNINGS, document, pointer, warnings);
  if (document.recipient !== null) applyRules(RECIPIENT_WARNINGS, document.recipient, `${pointer}/recipient`, warnings);
  if (document.submissionType !== 'consolidated') return;
  for (const [position, line] of document.lineItems.entries()) {
    applyRules(CONSOLIDATED_LINE_WARNINGS, line, `${pointer}/lineItems/${position}`, warnings);
  }
}
