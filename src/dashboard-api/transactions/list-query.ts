import { applyDecorators } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { EXAMPLE_REFERENCE_ID } from '../../common/response-fields.js';
import { hasForbiddenCharacters } from '../../validation/text.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { BY_RULE, ByQuery, readSubmitter } from '../by-query.js';
import { DaysQuery, createChoiceRule, Parameter, type ParameterRule, readParameter, readDays } from '../days-query.js';
import type { Days } from '../malaysian-days.js';
import type { TransactionFilter } from './transaction-list.sql.js';
import { SHOWN_STATUSES } from './shown-status.js';

/** What a list of attempts is asked for. */
export type ListRequest = TransactionFilter & Days;

const REFERENCE_ID_CHARACTERS_MAX = 50;

const RULES: Readonly<Record<string, ParameterRule>> = {
  type: createChoiceRule(DOCUMENT_TYPES),
  status: createChoiceRule(SHOWN_STATUSES),
  reference: {
    isKept: (text) => text.length <= REFERENCE_ID_CHARACTERS_MAX && !hasForbiddenCharacters(text, 'line'),
    message: `must be at most ${REFERENCE_ID_CHARACTERS_MAX} characters without control characters`,
    hint: 'copy the number from the document',
  },
  batch: { isKept: (text) => isUuid(text), message: 'must be a submissionBatchId', hint: 'copy it from the batches' },
  ...BY_RULE,
};

/**
 * Which attempts the query asks for: `type`, `status`, `from`, `to`, `reference`, `batch`, `by`, all of them optional.
 * @throws ValidationError (400) naming every parameter that cannot be read
 */
export function readListRequest(query: unknown): ListRequest {
  const days = readDays(query, RULES);
  const [type, status] = [readParameter(query, 'type'), readParameter(query, 'status')];
  return {
    ...days,
    types: DOCUMENT_TYPES.filter((one) => type === null || type === one),
    statuses: SHOWN_STATUSES.filter((one) => status === null || status === one),
    referenceId: readParameter(query, 'reference'),
    submissionBatchId: readParameter(query, 'batch')?.toLowerCase() ?? null,
    by: readSubmitter(query),
  };
}

/** Documents the parameters of a list of attempts. */
export function ListQuery(): MethodDecorator {
  return applyDecorators(
    Parameter('type', 'What the documents are.', { enum: [...DOCUMENT_TYPES] }),
    Parameter('status', 'Where the attempts stand.', { enum: [...SHOWN_STATUSES] }),
    DaysQuery(),
    Parameter('reference', 'Your document number, exactly as it was sent.', { example: EXAMPLE_REFERENCE_ID }),
    Parameter('batch', 'The submissionBatchId that they were submitted in.', { format: 'uuid' }),
    ByQuery(),
  );
}
