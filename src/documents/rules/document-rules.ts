import { isCalendarDate } from '../../common/malaysian-days.js';
import { AMOUNT_LIMIT, toDecimal, formatPlain, toRinggit, toSen } from '../../common/decimal.js';
import { calendarHint } from '../../http/validation/date-hint.js';
import { CLASSIFICATION_CONSOLIDATED } from '../authority-document/line-defaults.js';
import { COMPUTED_TOTALS } from '../dto/document.dto.js';
import { NRIC_PLACEHOLDER, saysNone, FOREIGN_BUYER_TIN, GENERAL_PUBLIC_TIN, GOVERNMENT_TIN } from '../identity.js';
import type { SubmissionType } from '../simplified-document.js';
import type { TotalsInSen } from '../totals.js';
import {
  type CheckedDocument,
  type CheckedMember,
  readAgreedText,
  normaliseText,
  CONSOLIDATED_APART,
  type Rule,
} from './rule.js';
import type { RecipientFacts } from './recipient-rules.js';

/** Earliest accepted date (docs/rules.md#body-rules). */
const FIRST_DATE = '2000-01-01';

export interface DocumentFacts {
  readonly sent: CheckedDocument;
  readonly recipient: RecipientFacts | null;
  readonly submissionType: SubmissionType | null;
  readonly documentDate: string | null;
  readonly isRealDate: boolean;
  /** Date in Malaysia, `YYYY-MM-DD`. */
  readonly today: string;
  readonly sameAs: number | null;
  readonly totals: TotalsInSen | null;
}

export const DOCUMENT_RULES: readonly Rule<DocumentFacts>[] = [
  {
    rule: 'reference_id_repeated',
    member: 'referenceId',
    isBroken: ({ sameAs }) => sameAs !== null,
    message: ({ sameAs }) => `is the referenceId of documents[${sameAs}] too, of the same documentType`,
    hint: 'send a document once; give a different document another number',
  },
  {
    rule: 'document_date_calendar',
    member: dateMember,
    isBroken: ({ documentDate, isRealDate }) => documentDate !== null && !isRealDate,
    message: 'must be a real calendar date',
    hint: ({ documentDate, today }) => calendarHint(documentDate ?? '') ?? `such as ${today}`,
  },
  {
    rule: 'document_date_future',
    member: dateMember,
    // The alphabetical order of these dates is their chronological order.
    isBroken: ({ documentDate, isRealDate, today }) => documentDate !== null && isRealDate && documentDate > today,
    message: ({ today }) => `must not be in the future: today is ${today} in Malaysia`,
    hint: ({ today }) => `use ${today} or earlier, or send the document on its date`,
  },
  {
    rule: 'document_date_year',
    member: dateMember,
    isBroken: ({ documentDate, isRealDate }) => documentDate !== null && isRealDate && documentDate < FIRST_DATE,
    message: `must not be before ${FIRST_DATE}`,
    hint: ({ documentDate, today }) => yearHint(documentDate ?? '', today),
  },
  {
    rule: 'recipient_required',
    member: 'recipient',
    isBroken: ({ sent, submissionType }) => submissionType === 'non-consolidated' && sent.recipient === undefined,
    message: 'is required unless submission_type is consolidated',
    hint: `send the buyer; sales to the general public are sent ${CONSOLIDATED_APART}`,
  },
  {
    // ERR205, ERR206, ERR228, ERR236: the authority accepts NA with general TINs only: for consolidated documents, for
    // government bodies with classification 004, and for foreign companies (guideline on cross-border transactions).
    rule: 'recipient_id_not_applicable',
    member: ({ recipient }) => `recipient/${chooseIdMember(recipient)}`,
    isBroken: isIdMissing,
    message: "must be the buyer's own number, not NA",
    hint: ({ recipient }) =>
      recipient?.entityType === 'individual'
        ? `send the number that is on the document, or the buyer's 12 digits as nric instead; ${NRIC_PLACEHOLDER} as nric is for a person with a TIN of Malaysia and no id`
        : `send the number; for a buyer without one, NA is accepted as brn of a foreign company with the TIN ` +
          `${FOREIGN_BUYER_TIN}, and of a government body with ${GOVERNMENT_TIN} if every line has classification 004`,
  },
  {
    rule: 'total_discount_amount_above_lines',
    member: 'totalDiscountAmount',
    isBroken: isDiscountTooHigh,
    message: ({ totals }) => `must not be above the sum of the line totals, ${formatSen(totals?.lineExtension)}`,
    hint: ({ totals }) =>
      `at most ${formatSen(totals?.lineExtension)}, in MYR and before tax; credit an earlier invoice with a credit note`,
  },
  {
    // If the discount is within its limit, only the rounding can make the payable amount negative.
    rule: 'total_rounding_amount_payable',
    member: 'totalRoundingAmount',
    isBroken: (facts) => !isDiscountTooHigh(facts) && (facts.totals?.totalPayableAmount ?? 0) < 0,
    message: ({ totals }) => `must not make totalPayableAmount negative, here ${formatSen(totals?.totalPayableAmount)}`,
    hint: 'send the rounding alone, at most a few sen; a reduction goes into totalDiscountAmount',
  },
  {
    rule: 'totals_range',
    member: 'lineItems',
    isBroken: ({ totals }) => totals !== null && isTooGreat(totals),
    message: `must not add up to ${AMOUNT_LIMIT.toLocaleString('en')} or more`,
    hint: 'spread the lines over several documents; amounts are in ringgit',
  },
  ...COMPUTED_TOTALS.flatMap(([total, otherSpelling]) =>
    [total, otherSpelling].map((member): Rule<DocumentFacts> => ({
      rule: `${otherSpelling}_mismatch`,
      member,
      isBroken: ({ sent, totals }) => totals !== null && differs(sent[member], totals[total]),
      message: ({ sent, totals }) =>
        `is ${formatPlain(toDecimal(sent[member] ?? 0))}, but the service computes ${formatSen(totals?.[total])}`,
      hint: 'find the discount, tax, charge or rounding that only one of the two figures includes, and correct that',
    })),
  ),
];

/** Reads the date from either spelling. The date is null if either spelling is malformed. */
export function readDateFacts(sent: CheckedDocument): Pick<DocumentFacts, 'documentDate' | 'isRealDate'> {
  const documentDate = readAgreedText(sent.document_date, sent.documentDate);
  return { documentDate, isRealDate: documentDate !== null && isCalendarDate(documentDate) };
}

/** Returns the spelling that the caller used. `document_date` takes precedence. */
export function chooseDateMember(sent: CheckedDocument): 'documentDate' | 'document_date' {
  return sent.document_date === undefined ? 'documentDate' : 'document_date';
}

export function dateMember({ sent }: { readonly sent: CheckedDocument }): string {
  return chooseDateMember(sent);
}

/** Another rule rejects a company with the general public's TIN. A foreign company may have no number. */
const JUDGED_ELSEWHERE: readonly (string | null | undefined)[] = [GENERAL_PUBLIC_TIN, FOREIGN_BUYER_TIN];

function yearHint(documentDate: string, today: string): string {
  const meant = documentDate.replace(/^00/, '20');
  return meant >= FIRST_DATE && meant <= today ? `did you mean ${meant}?` : `such as ${today}`;
}

function isIdMissing({ sent, recipient }: DocumentFacts): boolean {
  const { identity, tin, entityType } = recipient ?? {};
  if (!identity || identity.idType === 'NRIC' || !saysNone(identity.idValue)) return false;
  if (entityType === 'company' && JUDGED_ELSEWHERE.includes(tin)) return false;
  if (tin !== GOVERNMENT_TIN) return true;
  return (sent.lineItems ?? []).some((line) => normaliseText(line?.classification) !== CLASSIFICATION_CONSOLIDATED);
}

function chooseIdMember(recipient: RecipientFacts | null): string {
  return recipient?.identity?.idType.toLowerCase() ?? 'brn';
}

function isDiscountTooHigh({ totals }: DocumentFacts): boolean {
  return totals !== null && totals.totalExcludingTax < 0;
}

function differs(sent: CheckedMember<number>, sen: number): boolean {
  return typeof sent === 'number' && toSen(sent) !== sen;
}

function isTooGreat(totals: TotalsInSen): boolean {
  const { lineExtension, totalTaxAmount, totalExemptedTax, totalIncludingTax, totalPayableAmount } = totals;
  return [lineExtension, totalTaxAmount, totalExemptedTax, totalIncludingTax, totalPayableAmount].some(
    (total) => total >= toSen(AMOUNT_LIMIT),
  );
}

function formatSen(sen: number | undefined): string {
  return sen === undefined ? '' : formatPlain(toDecimal(toRinggit(sen)));
}
