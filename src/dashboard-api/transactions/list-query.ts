import { applyDecorators } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { EXAMPLE_REFERENCE_ID } from '../../common/response-fields.js';
import { hasForbiddenCharacters } from '../../validation/text.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { BY_RULE, ByQuery, readSubmitter } from '../by-query.js';
import { DaysQuery, createChoiceRule, Parameter, type ParameterRule, readParameter, readDays } from '../days-query.js';
import type { Days } from '../malaysian-days.js';
import { FAILURE_ACTIONS, type TransactionFilter } from './transaction-list.sql.js';
import { SHOWN_STATUSES, WAITING_STATUSES } from './shown-status.js';

/** What a list of attempts is asked for. */
export type ListRequest = TransactionFilter & Days;

const REFERENCE_ID_CHARACTERS_MAX = 50;

const CAUSE_CHARACTERS_MAX = 300;

/** All of those that wait for their outcome. */
const WAITING = 'Waiting';
const STATUS_CHOICES = [...SHOWN_STATUSES, WAITING];

/** Which attempts of a document: the last one, or all of them. */
const ATTEMPTS = ['current', 'all'] as const;

const RULES: Readonly<Record<string, ParameterRule>> = {
  type: createChoiceRule(DOCUMENT_TYPES),
  status: createChoiceRule(STATUS_CHOICES),
  attempts: createChoiceRule(ATTEMPTS),
  reference: {
    isKept: (text) => text.length <= REFERENCE_ID_CHARACTERS_MAX && !hasForbiddenCharacters(text, 'line'),
    message: `must be at most ${REFERENCE_ID_CHARACTERS_MAX} characters without control characters`,
    hint: 'copy the number from the document',
  },
  batch: { isKept: (text) => isUuid(text), message: 'must be a submissionBatchId', hint: 'copy it from the batches' },
  action: createChoiceRule(FAILURE_ACTIONS),
  cause: {
    isKept: (text) => text.length <= CAUSE_CHARACTERS_MAX && !hasForbiddenCharacters(text, 'line'),
    message: 'must be a cause of failed documents',
    hint: 'copy it from what needs action',
  },
  ...BY_RULE,
};

/**
 * Which attempts the query asks for: `type`, `status`, `attempts`, `from`, `to`, `reference`, `batch`, `by`, `action`, `cause`, all of
 * them optional.
 * @throws ValidationError (400) naming every parameter that cannot be read
 */
export function readListRequest(query: unknown): ListRequest {
  const days = readDays(query, RULES);
  const [type, status] = [readParameter(query, 'type'), readParameter(query, 'status')];
  const statuses =
    status === WAITING ? WAITING_STATUSES : SHOWN_STATUSES.filter((one) => status === null || status === one);
  const [action, cause] = [readParameter(query, 'action'), readParameter(query, 'cause')];
  return {
    ...days,
    types: DOCUMENT_TYPES.filter((one) => type === null || type === one),
    statuses,
    includesReplaced: readParameter(query, 'attempts') === 'all',
    referenceId: readParameter(query, 'reference'),
    submissionBatchId: readParameter(query, 'batch')?.toLowerCase() ?? null,
    by: readSubmitter(query),
    action: FAILURE_ACTIONS.find((one) => one === action) ?? (cause === null ? null : 'needed'),
    cause,
  };
}

/** Documents the parameters of a list of attempts. */
export function ListQuery(): MethodDecorator {
  return applyDecorators(
    Parameter('type', 'What the documents are.', { enum: [...DOCUMENT_TYPES] }),
    Parameter('status', 'Where the attempts stand; `Waiting` is all without an outcome.', { enum: STATUS_CHOICES }),
    Parameter('attempts', 'Only the last attempt of each document, or also those that it replaced.', {
      enum: [...ATTEMPTS],
      default: 'current',
    }),
    DaysQuery(),
    Parameter('reference', 'Your document number, exactly as it was sent.', { example: EXAMPLE_REFERENCE_ID }),
    Parameter('batch', 'The submissionBatchId that they were submitted in.', { format: 'uuid' }),
    ByQuery(),
    Parameter('action', 'Only documents whose last attempt failed: those that need action, or those dismissed.', {
      enum: [...FAILURE_ACTIONS],
    }),
    Parameter('cause', 'Only documents that need action and failed by this cause.', {
      example: 'buyer_tin_invalid:/recipient/tin',
    }),
  );
}
