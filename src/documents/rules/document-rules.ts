import { type Decimal, plainText } from '../../common/decimal.js';
import { isCalendarDate } from '../issue-time.js';
import type { SubmissionType } from '../simplified-document.js';
import type { ExactTotals } from '../totals.js';
import { type CheckedDocument, agreedText } from './checked-document.js';
import type { Rule } from './rule.js';

/** Computed totals stay below this, in ringgit (D4). */
const TOTAL_LIMIT = 1e13;

/** What the rules of a whole document are made from, computed once. */
export interface DocumentFacts {
  readonly sent: CheckedDocument;
  /** null when it is broken or missing. */
  readonly submissionType: SubmissionType | null;
  /** Trimmed, in either spelling; null when broken or missing. */
  readonly documentDate: string | null;
  /** Whether documentDate is a date of the calendar. */
  readonly isRealDate: boolean;
  /** Today in Malaysia, `YYYY-MM-DD`. */
  readonly today: string;
  /** The index of the first document of the request with the same type and number; null when there is none. */
  readonly sameAs: number | null;
  /** null unless every amount is settled. */
  readonly totals: ExactTotals | null;
}

export const DOCUMENT_RULES: readonly Rule<DocumentFacts>[] = [
  {
    rule: 'reference_id_repeated',
    member: 'referenceId',
    isBroken: ({ sameAs }) => sameAs !== null,
    message: ({ sameAs }) => `is the referenceId of documents[${sameAs}] too, of the same documentType`,
  },
  {
    rule: 'document_date_calendar',
    member: dateMember,
    isBroken: ({ documentDate, isRealDate }) => documentDate !== null && !isRealDate,
    message: 'must be a real calendar date',
  },
  {
    rule: 'document_date_future',
    member: dateMember,
    // Dates of this form are in the order of their texts.
    isBroken: ({ documentDate, isRealDate, today }) => documentDate !== null && isRealDate && documentDate > today,
    message: ({ today }) => `must not be in the future: today is ${today} in Malaysia`,
  },
  {
    rule: 'recipient_required',
    member: 'recipient',
    isBroken: ({ sent, submissionType }) => submissionType === 'non-consolidated' && sent.recipient === undefined,
    message: 'is required unless submission_type is consolidated',
  },
  {
    rule: 'total_discount_amount_above_lines',
    member: 'totalDiscountAmount',
    isBroken: isDiscountTooHigh,
    message: ({ totals }) => `must not be above the sum of the line totals, ${textOf(totals?.lineExtension)}`,
  },
  {
    // With a discount within its bound, only the rounding can bring the payable amount below zero.
    rule: 'total_rounding_amount_payable',
    member: 'totalRoundingAmount',
    isBroken: (facts) => !isDiscountTooHigh(facts) && (facts.totals?.totalPayableAmount.lt(0) ?? false),
    message: ({ totals }) => `must not make totalPayableAmount negative, here ${textOf(totals?.totalPayableAmount)}`,
  },
  {
    rule: 'totals_range',
    member: 'lineItems',
    isBroken: ({ totals }) => totals !== null && isTooGreat(totals),
    message: `must not add up to ${TOTAL_LIMIT.toLocaleString('en')} or more`,
  },
];

/** The date as sent in either spelling; null when one of them is broken, since then it is not known which is meant. */
export function dateFactsOf(sent: CheckedDocument): Pick<DocumentFacts, 'documentDate' | 'isRealDate'> {
  const documentDate = agreedText(sent.document_date, sent.documentDate);
  return { documentDate, isRealDate: documentDate !== null && isCalendarDate(documentDate) };
}

function dateMember({ sent }: DocumentFacts): string {
  return sent.document_date === undefined ? 'documentDate' : 'document_date';
}

function isDiscountTooHigh({ totals }: DocumentFacts): boolean {
  return totals !== null && totals.totalExcludingTax.lt(0);
}

function isTooGreat({ lineExtension, totalTaxAmount, totalIncludingTax, totalPayableAmount }: ExactTotals): boolean {
  return [lineExtension, totalTaxAmount, totalIncludingTax, totalPayableAmount].some((total) => total.gte(TOTAL_LIMIT));
}

function textOf(amount: Decimal | undefined): string {
  return amount === undefined ? '' : plainText(amount);
}
