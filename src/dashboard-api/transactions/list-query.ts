import { applyDecorators } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { EXAMPLE_IDS, EXAMPLE_REFERENCE_ID } from '../../common/response-fields.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { toSearchKey } from '../../documents/search-key.js';
import { ValidationError } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';
import { hasForbiddenCharacters, isAtMost } from '../../http/validation/text.js';
import { isDatabaseDate } from '../cursor.js';
import type { Days } from '../days.js';
import {
  DaysQuery,
  createChoiceRule,
  Parameter,
  type ParameterRule,
  readParameter,
  readDays,
  BY_RULE,
  ByQuery,
  readSubmitter,
} from '../parameters.js';
import { isUnreadableAmount, readTerm, type SearchTerm, TERM_CHARACTERS_MAX } from './search-term.js';
import { type ListSort, SORTS } from './search.sql.js';
import { SHOWN_STATUSES, WAITING_STATUSES } from './shown-status.js';
import { FAILURE_ACTIONS, type TransactionFilter } from './transaction-list.sql.js';

/** Filter and order of a document list. */
export interface ListRequest extends TransactionFilter, Days {
  /** Search term; null without a search. */
  readonly term: SearchTerm | null;
  /** Code of the first error of failed documents; null for all documents. */
  readonly error: string | null;
  /** Range of document dates. */
  readonly dated: Days;
  readonly sort: ListSort;
  /** Distinct ids of attempts; null for all attempts. */
  readonly ids: readonly string[] | null;
}

/** Limits the length of the URL, because proxies reject long URLs. */
const IDS_MAX = 100;
const REFERENCE_ID_CHARACTERS_MAX = 50;

const CAUSE_CHARACTERS_MAX = 300;
const ERROR_CHARACTERS_MAX = 100;

const DAY: ParameterRule = {
  isKept: isDatabaseDate,
  message: 'must be a calendar date, written YYYY-MM-DD',
  hint: 'such as 2026-01-31',
};

/** Filter value for all statuses without an outcome. */
const WAITING = 'Waiting';
const STATUS_CHOICES = [...SHOWN_STATUSES, WAITING];

const ATTEMPTS = ['current', 'all'] as const;

const RULES: Readonly<Record<string, ParameterRule>> = {
  type: createChoiceRule(DOCUMENT_TYPES),
  status: createChoiceRule(STATUS_CHOICES),
  attempts: createChoiceRule(ATTEMPTS),
  reference: {
    isKept: (text) => isAtMost(text, REFERENCE_ID_CHARACTERS_MAX) && !hasForbiddenCharacters(text, 'line'),
    message: `must be at most ${REFERENCE_ID_CHARACTERS_MAX} characters without control characters`,
    hint: 'copy the number from the document',
  },
  batch: { isKept: (text) => isUuid(text), message: 'must be a submissionBatchId', hint: 'copy it from the batches' },
  action: createChoiceRule(FAILURE_ACTIONS),
  cause: {
    isKept: (text) => isAtMost(text, CAUSE_CHARACTERS_MAX) && !hasForbiddenCharacters(text, 'line'),
    message: 'must be a cause of failed documents',
    hint: 'copy it from the list of failed documents',
  },
  error: {
    isKept: (text) => text.length <= ERROR_CHARACTERS_MAX && /^\w+$/.test(text),
    message: 'must be an error code',
    hint: 'send a code such as buyer_tin_invalid',
  },
  q: {
    isKept: (text) =>
      isAtMost(text, TERM_CHARACTERS_MAX) && !hasForbiddenCharacters(text, 'line') && toSearchKey(text).trim() !== '',
    message: `must be one text of at most ${TERM_CHARACTERS_MAX} characters, without control characters`,
    hint: 'send the beginning of a number, words of the buyer’s name, a TIN, an amount or a UUID',
  },
  dated_from: DAY,
  dated_to: DAY,
  sort: createChoiceRule(SORTS, 'leave it out for the newest first'),
  transactionIds: {
    isKept: (text) => splitIds(text).length <= IDS_MAX && splitIds(text).every((id) => isUuid(id)),
    message: `must be at most ${IDS_MAX} transactionIds, separated by commas`,
    hint: 'copy them from the list of documents, or use its filters for more',
    isEmptyRefused: true,
  },
  ...BY_RULE,
};

const ORDERED_BY_DOCUMENT: readonly ListSort[] = SORTS.filter((sort) => sort !== '-accepted');

/**
 * Reads the parameters of ListQuery. A range of document dates sorts by date by default.
 * @throws ValidationError (400) with every invalid parameter
 */
export function readListRequest(query: unknown): ListRequest {
  const days = readDays(query, RULES);
  const [type, status] = [readParameter(query, 'type'), readParameter(query, 'status')];
  const statuses =
    status === WAITING ? WAITING_STATUSES : SHOWN_STATUSES.filter((one) => status === null || status === one);
  const [action, cause] = [readParameter(query, 'action'), readParameter(query, 'cause')];
  const error = readParameter(query, 'error');
  return {
    ...days,
    types: DOCUMENT_TYPES.filter((one) => type === null || type === one),
    statuses,
    referenceId: readParameter(query, 'reference'),
    submissionBatchId: readParameter(query, 'batch')?.toLowerCase() ?? null,
    by: readSubmitter(query),
    action: FAILURE_ACTIONS.find((one) => one === action) ?? ((cause ?? error) === null ? null : 'needed'),
    cause,
    error,
    ids: readIds(query),
    ...readSearch(query),
  };
}

function readIds(query: unknown): string[] | null {
  const text = readParameter(query, 'transactionIds');
  return text === null ? null : [...new Set(splitIds(text.toLowerCase()))];
}

function splitIds(text: string): string[] {
  return text.split(',');
}

function readSearch(query: unknown): Pick<ListRequest, 'term' | 'dated' | 'sort' | 'includesReplaced'> {
  const typed = readParameter(query, 'q');
  const dated = { from: readParameter(query, 'dated_from'), to: readParameter(query, 'dated_to') };
  const includesReplaced = readParameter(query, 'attempts') === 'all';
  const sorted = SORTS.find((sort) => sort === readParameter(query, 'sort')) ?? null;
  if (typed !== null && isUnreadableAmount(typed)) throw new ValidationError([UNREADABLE_AMOUNT]);
  checkTogether({ dated, sorted, includesReplaced });
  const isDated = (dated.from ?? dated.to) !== null;
  const sort = sorted ?? (isDated && !includesReplaced ? '-date' : '-accepted');
  return { term: typed === null ? null : readTerm(typed), dated, sort, includesReplaced };
}

const UNREADABLE_AMOUNT: Problem = {
  pointer: '/q',
  rule: 'q_form',
  message: 'is not an amount',
  hint: 'write it as RM 1,234.56, and a range as RM 100 - 200',
};

interface Together {
  readonly dated: Days;
  readonly sorted: ListSort | null;
  readonly includesReplaced: boolean;
}

/** @throws ValidationError (400) for contradictory parameters */
function checkTogether({ dated: { from, to }, sorted, includesReplaced }: Together): void {
  if (from !== null && to !== null && from > to) {
    const message = 'must not be before dated_from';
    throw new ValidationError([
      { pointer: '/dated_to', rule: 'dated_to_form', message, hint: `send ${from} or a later day` },
    ]);
  }
  if (includesReplaced && sorted !== null && ORDERED_BY_DOCUMENT.includes(sorted)) {
    const message = `cannot be ${sorted} with attempts=all, because the order uses the last attempt of each document`;
    throw new ValidationError([
      { pointer: '/sort', rule: 'sort_form', message, hint: 'leave out sort, or leave out attempts' },
    ]);
  }
}

/** Describes the parameters of a document list. */
export function ListQuery(): MethodDecorator {
  return applyDecorators(
    Parameter('type', 'Document type.', { enum: [...DOCUMENT_TYPES] }),
    Parameter('status', 'Status. `Waiting` includes all statuses without an outcome.', { enum: STATUS_CHOICES }),
    Parameter('attempts', 'Whether to list only the current attempt of each document, or all attempts.', {
      enum: [...ATTEMPTS],
      default: 'current',
    }),
    DaysQuery(),
    Parameter('reference', 'Exact document number.', { example: EXAMPLE_REFERENCE_ID }),
    Parameter('batch', 'The submissionBatchId of the documents.', { format: 'uuid' }),
    ByQuery(),
    Parameter('action', 'Only failed documents: those that need action, or dismissed ones.', {
      enum: [...FAILURE_ACTIONS],
    }),
    Parameter('cause', 'Only documents that need action, with this cause.', {
      example: 'buyer_tin_invalid:/recipient/tin',
    }),
    Parameter('error', 'Only documents that need action, with this code in their first error.', {
      example: 'buyer_tin_invalid',
    }),
    Parameter(
      'q',
      'Search term: the beginning of a number or TIN, words of the buyer’s name or their beginnings, `RM 1,234.56`, ' +
        '`RM 100 - 200`, a UUID of the authority or an id. A page with few or no rows may still have a next page.',
      { maxLength: TERM_CHARACTERS_MAX, example: 'INV-2026' },
    ),
    Parameter('dated_from', 'First document date.', { format: 'date' }),
    Parameter('dated_to', 'Last document date.', { format: 'date' }),
    Parameter('sort', 'Order by acceptance, document date or amount. `-` means descending.', {
      enum: [...SORTS],
      default: '-accepted',
    }),
    Parameter('transactionIds', `Only these attempts: at most ${IDS_MAX} transactionIds, separated by commas.`, {
      example: EXAMPLE_IDS.transactionId,
    }),
  );
}
