import type { Problem } from '../../errors/problem.js';
import { toDecimal, formatPlain } from '../../common/decimal.js';
import { toMalaysianDate } from '../../common/malaysian-days.js';
import { CLASSIFICATION_CONSOLIDATED, TAX_EXEMPT, TAX_NOT_APPLICABLE } from '../authority-document/line-defaults.js';
import { MALAYSIA } from '../code-lists.js';
import { FOREIGN_NUMBER_HINT, buildTinDoubtHint } from '../identity-hints.js';
import {
  bareBrn,
  hasBirthDate,
  hasUsualTinShape,
  isEarlierBrn,
  looksLikeBrn,
  looksLikeNric,
  FOREIGN_BUYER_TIN,
  FOREIGN_SUPPLIER_TIN,
  GENERAL_PUBLIC_TIN,
  GOVERNMENT_TIN,
  NOT_APPLICABLE,
} from '../identity.js';
import { EMAIL_HINT, isPlainEmail } from '../plain-email.js';
import { chooseIssueTime } from '../issue-time.js';
import { BEFORE_E_INVOICING, isAuthorityUuid } from '../parent-uuid.js';
import type { Recipient, SimplifiedDocument } from '../simplified-document.js';
import { type CheckedDocument, type CheckedRecipient, CONSOLIDATED_APART, type Rule, checkRules } from './rule.js';
import { dateMember } from './document-rules.js';
import { TAX_WARNINGS, type WarnedLine } from './tax-warnings.js';

// Warnings about accepted documents (docs/rules.md#warnings). The rules receive both the stored and the sent form,
// because some warnings concern values that are not stored.

export interface WarnedDocument {
  readonly document: SimplifiedDocument;
  readonly sent: CheckedDocument;
  readonly hasIgnoredRecipient: boolean;
  readonly now: Date;
  /** Documents of this date or later are recent at any time of day. Format: `YYYY-MM-DD`. */
  readonly youngSince: string;
}

// One day less than the age limit of issue times, because the first day may have already begun.
const YOUNG_MS = 2 * 86_400_000;

export function computeYoungSince(now: Date): string {
  return toMalaysianDate(new Date(now.getTime() - YOUNG_MS));
}

interface WarnedRecipient {
  readonly recipient: Recipient;
  readonly sent: CheckedRecipient;
}

const ROUNDING_MAX = 0.05;

/** In ringgit. A sale above this amount requires a separate document. */
const CONSOLIDATED_SALE_MAX = 10_000;

// Characters that the authority rejects in an exemption reason. Its own example contains a colon and a slash.
const SPECIAL_CHARACTER = /[^\p{L}\p{M}\p{N} .,():/-]/u;
const SPECIAL_CHARACTERS = new RegExp(`(?:${SPECIAL_CHARACTER.source}| )+`, 'gu');

const CONSOLIDATED_SAMPLE_NAME = "consolidated buyer's";

const ID_MEMBERS = ['brn', 'nric', 'passport', 'army'] as const;

const DOCUMENT_WARNINGS: readonly Rule<WarnedDocument>[] = [
  {
    rule: 'recipient_ignored',
    member: 'recipient',
    isBroken: ({ hasIgnoredRecipient }) => hasIgnoredRecipient,
    message: 'is not sent: the authority takes one buyer for every consolidated document, the general public',
    hint: 'send a document for one buyer in a separate request with submission_type non-consolidated; or leave it out',
  },
  {
    // The authority rejects issue times older than 72 hours (docs/rules.md#issue-time).
    rule: 'document_date_too_old',
    member: dateMember,
    isBroken: ({ document: { documentDate }, now, youngSince }) =>
      documentDate < youngSince && chooseIssueTime({ now, documentDate, earlierAttempts: 0 }).period !== null,
    message:
      'is older than the 72 hours that the authority takes: the legal date of issue will be the day on which it is sent, ' +
      'and this date will be stated as the billing period',
    hint: ({ document: { submissionType } }) =>
      submissionType === 'consolidated'
        ? 'no correction is needed within seven days of the end of the month of the sales'
        : 'no correction is needed if the date is right; send documents within three days of their date',
  },
  {
    rule: 'total_rounding_amount_high',
    member: 'totalRoundingAmount',
    isBroken: ({ document: { totalRoundingAmount } }) => Math.abs(totalRoundingAmount) > ROUNDING_MAX,
    message: `is beyond ±${ROUNDING_MAX}, which no rounding to five sen exceeds`,
    hint: 'put a reduction into discount or totalDiscountAmount, and a charge into a separate line',
  },
  {
    rule: 'related_invoice_authority_uuid_doubtful',
    member: 'relatedInvoice/authorityUuid',
    isBroken: ({ document: { relatedInvoice } }) => isDoubtful(relatedInvoice?.authorityUuid ?? null),
    message: 'is not an id of the authority, which has 26 letters and digits; the authority will probably refuse it',
    hint: "take it from the authority's portal if the invoice was issued elsewhere; for an invoice of this service, leave it out",
  },
];

const RECIPIENT_WARNINGS: readonly Rule<WarnedRecipient>[] = [
  {
    // CF358.
    rule: 'recipient_tin_doubtful',
    member: 'tin',
    isBroken: ({ recipient: { tin } }) => !hasUsualTinShape(tin),
    message: "does not have the form of the authority's TINs; the authority will probably refuse it",
    hint: ({ recipient: { tin, country } }) =>
      country === MALAYSIA ? buildTinDoubtHint(tin) : `${buildTinDoubtHint(tin)}; ${FOREIGN_NUMBER_HINT}`,
  },
  {
    // ERR208. This TIN is for self-billed documents, whose supplier is foreign.
    rule: 'recipient_tin_of_suppliers',
    member: 'tin',
    isBroken: ({ recipient: { tin } }) => tin === FOREIGN_SUPPLIER_TIN,
    message: 'is the general TIN of foreign suppliers; the authority will probably refuse it for a buyer',
    hint: `a foreign buyer without a TIN has ${FOREIGN_BUYER_TIN}`,
  },
  {
    // CF324 and ERR206, the most frequent reasons for a rejection.
    rule: 'recipient_nric_doubtful',
    member: 'nric',
    isBroken: ({ recipient: { idType, idValue } }) => idType === 'NRIC' && !hasBirthDate(idValue),
    message: 'does not begin with a date of birth (YYMMDD), as every NRIC does',
    hint: ({ recipient: { idValue } }) =>
      looksLikeBrn(idValue) ? 'a BRN is sent as brn, with entity_type company' : 'compare it with the identity card',
  },
  {
    // The authority's guideline allows `NA`, but the authority has refused it for general TINs (ERR205).
    rule: 'recipient_brn_not_applicable',
    member: 'brn',
    isBroken: ({ recipient: { tin, idType, idValue } }) =>
      tin === FOREIGN_BUYER_TIN && idType === 'BRN' && idValue === NOT_APPLICABLE,
    message: 'is NA, which is for a foreign buyer whose registration number is not available',
    hint: "send the registration number from the buyer's own country, if there is one",
  },
  {
    // The authority's own sample of a consolidated document contains this name.
    rule: 'recipient_name_reserved',
    member: 'name',
    isBroken: ({ recipient: { name } }) => name.toLowerCase() === CONSOLIDATED_SAMPLE_NAME,
    message:
      "is the authority's placeholder for the buyer of a consolidated document; the authority will probably refuse it",
    hint: `send the name of the buyer; sales to the general public are sent ${CONSOLIDATED_APART}`,
  },
  {
    // The authority compares the TIN with the current BRN.
    rule: 'recipient_brn_earlier',
    member: 'brn',
    isBroken: ({ recipient: { idType, idValue } }) => idType === 'BRN' && isEarlierBrn(idValue),
    message: 'is in the format of SSM before 2019; the authority will probably refuse it',
    hint: 'send the 12-digit number of SSM',
  },
  {
    rule: 'recipient_brn_doubtful',
    member: 'brn',
    isBroken: ({ recipient: { idType, idValue } }) => idType === 'BRN' && looksLikeNric(idValue),
    message: 'looks like the NRIC of a person and not like the number of a business',
    hint: 'an NRIC is sent as nric, with entity_type individual',
  },
  {
    // Malaysians have an NRIC or an army number.
    rule: 'recipient_tin_of_malaysians',
    member: 'tin',
    isBroken: ({ recipient: { tin, idType } }) => tin === GENERAL_PUBLIC_TIN && idType === 'PASSPORT',
    message: 'is for persons with an NRIC or an army number; the authority will probably refuse it with a passport',
    hint: `a foreign buyer without a TIN has ${FOREIGN_BUYER_TIN}`,
  },
  {
    rule: 'recipient_brn_two_numbers',
    member: 'brn',
    isBroken: ({ recipient: { idType, idValue } }) => idType === 'BRN' && bareBrn(idValue) !== null,
    message: 'has another number in brackets; the authority will probably know neither of the two',
    hint: ({ recipient: { idValue } }) => `use ${bareBrn(idValue)}`,
  },
  {
    rule: 'recipient_id_ignored',
    member: (warned) => findIgnoredId(warned) ?? '',
    isBroken: (warned) => findIgnoredId(warned) !== null,
    message: ({ recipient: { idType } }) =>
      `is not sent: the authority takes one id of a buyer, and that is ${idType.toLowerCase()} here`,
    hint: (warned) => ignoredIdHint(warned),
  },
  {
    // CF403.
    rule: 'recipient_email_doubtful',
    member: 'email',
    isBroken: ({ recipient: { email } }) => email !== null && !isPlainEmail(email),
    message: 'has a form that the authority will probably refuse',
    hint: `${EMAIL_HINT}; or leave it out`,
  },
];

const LINE_WARNINGS: readonly Rule<WarnedLine>[] = [
  {
    rule: 'line_tax_type_not_applicable',
    member: 'taxType',
    isBroken: ({ line: { taxType, taxAmount, taxRate = 0 } }) =>
      taxType === TAX_NOT_APPLICABLE && (taxAmount > 0 || taxRate > 0),
    message: `is ${TAX_NOT_APPLICABLE}, for lines without tax; the authority will probably refuse it with a tax`,
    hint: 'send the type of the tax, such as 01 (sales tax) or 02 (service tax); leave taxAmount and taxRate out only if the buyer pays no tax',
  },
  {
    rule: 'line_tax_exemption_reason_doubtful',
    member: 'taxExemptionReason',
    isBroken: ({ line: { taxType, taxExemptionReason } }) =>
      taxType === TAX_EXEMPT && SPECIAL_CHARACTER.test(taxExemptionReason ?? ''),
    message:
      'has special characters; the authority accepts letters, digits, spaces and . , ( ) - and will probably refuse it',
    hint: ({ line: { taxExemptionReason } }) => reasonHint(taxExemptionReason ?? ''),
  },
  {
    rule: 'line_tax_exemption_reason_ignored',
    member: 'taxExemptionReason',
    isBroken: ({ line: { taxType, taxExemptionReason } }) => taxType !== TAX_EXEMPT && taxExemptionReason !== null,
    message: `is sent with taxType ${TAX_EXEMPT} alone`,
    hint: `send taxType ${TAX_EXEMPT} if the line is exempt from tax, or leave it out`,
  },
];

/** Sales to the government's general TIN may have classification 004 (ERR205). */
const GOVERNMENT_LINE_WARNINGS: readonly Rule<WarnedLine>[] = [
  {
    rule: 'line_classification_self_billed',
    member: 'classification',
    isBroken: ({ line: { classification } }) => SELF_BILLED.includes(classification),
    message: ({ line: { classification } }) =>
      `is ${classification}, for self-billed documents, which the buyer issues`,
    hint: "send the class of the goods or services, such as 022 (others); issue a self-billed document in the authority's portal",
  },
];

const SINGLE_SALE_LINE_WARNINGS: readonly Rule<WarnedLine>[] = [
  {
    rule: 'line_classification_consolidated',
    member: 'classification',
    isBroken: ({ line: { classification } }) => classification === CLASSIFICATION_CONSOLIDATED,
    message: `is ${CLASSIFICATION_CONSOLIDATED}, for consolidated documents; the authority will probably refuse it`,
    hint: `send the class of the goods or services, such as 022 (others); sales to the general public are sent ${CONSOLIDATED_APART}`,
  },
  ...GOVERNMENT_LINE_WARNINGS,
];

/** Classifications of self-billed documents. */
const SELF_BILLED: readonly (string | null)[] = ['009', '033', '034', '035', '036', '037', '045'];

const CONSOLIDATED_LINE_WARNINGS: readonly Rule<WarnedLine>[] = [
  {
    rule: 'line_consolidated_amount',
    member: 'lineTotal',
    isBroken: ({ line: { lineTotal } }) => lineTotal > CONSOLIDATED_SALE_MAX,
    message: ({ line: { lineTotal } }) =>
      `is ${formatPlain(toDecimal(lineTotal))}: a single sale above RM ${CONSOLIDATED_SALE_MAX.toLocaleString('en')} must not be consolidated`,
    hint: 'unless the line sums up several sales, send it to its buyer in a separate request with submission_type non-consolidated',
  },
];

const EVERY_LINE_WARNINGS: readonly Rule<WarnedLine>[] = [...TAX_WARNINGS, ...LINE_WARNINGS];
const OF_CONSOLIDATED = [...EVERY_LINE_WARNINGS, ...CONSOLIDATED_LINE_WARNINGS];
const OF_SINGLE_SALE = [...EVERY_LINE_WARNINGS, ...SINGLE_SALE_LINE_WARNINGS];
const OF_GOVERNMENT = [...EVERY_LINE_WARNINGS, ...GOVERNMENT_LINE_WARNINGS];

function isDoubtful(uuid: string | null): boolean {
  return uuid !== null && uuid !== BEFORE_E_INVOICING && !isAuthorityUuid(uuid);
}

export const WARNING_RULE_IDS: readonly string[] = [
  ...DOCUMENT_WARNINGS.map(({ rule }) => rule),
  ...RECIPIENT_WARNINGS.map(({ rule }) => rule),
  ...EVERY_LINE_WARNINGS.map(({ rule }) => rule),
  ...SINGLE_SALE_LINE_WARNINGS.map(({ rule }) => rule),
  ...CONSOLIDATED_LINE_WARNINGS.map(({ rule }) => rule),
];

export function warnAbout(doubted: WarnedDocument, pointer: string, warnings: Problem[]): void {
  const { document, sent } = doubted;
  checkRules(DOCUMENT_WARNINGS, doubted, pointer, warnings);
  if (document.recipient !== null && sent.recipient) {
    const recipient = { recipient: document.recipient, sent: sent.recipient };
    checkRules(RECIPIENT_WARNINGS, recipient, `${pointer}/recipient`, warnings);
  }
  const rules = chooseLineWarnings(document);
  for (const [position, line] of document.lineItems.entries()) {
    const sentLine = sent.lineItems?.[position];
    if (sentLine) checkRules(rules, { line, sent: sentLine }, `${pointer}/lineItems/${position}`, warnings);
  }
}

function chooseLineWarnings({ submissionType, recipient }: SimplifiedDocument): readonly Rule<WarnedLine>[] {
  if (submissionType === 'consolidated') return OF_CONSOLIDATED;
  return recipient?.tin === GOVERNMENT_TIN ? OF_GOVERNMENT : OF_SINGLE_SALE;
}

function findIgnoredId({ recipient, sent }: WarnedRecipient): (typeof ID_MEMBERS)[number] | null {
  return ID_MEMBERS.find((member) => sent[member] !== undefined && member !== recipient.idType.toLowerCase()) ?? null;
}

function ignoredIdHint(warned: WarnedRecipient): string {
  const ignored = findIgnoredId(warned);
  if (ignored === 'brn') return 'leave it out, or send entity_type company when the buyer is a business';
  if (warned.recipient.idType === 'BRN')
    return 'leave it out, or send entity_type individual when the buyer is a person';
  return 'send one of the two';
}

function reasonHint(reason: string): string {
  const plain = reason.replace(SPECIAL_CHARACTERS, ' ').trim();
  return plain === '' ? 'send the order or certificate that exempts the line' : `use ${plain}`;
}
