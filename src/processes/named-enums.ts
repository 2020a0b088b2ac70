import { isDeepStrictEqual } from 'node:util';
import { getSchemaPath } from '@nestjs/swagger';
import { ENVIRONMENTS } from '../config/environment.js';
import { DOCUMENT_TYPES } from '../documents/document-types.js';
import { ENTITY_TYPES } from '../documents/dto/recipient.dto.js';
import { ID_TYPES } from '../documents/identity.js';
import { SUBMISSION_TYPES } from '../documents/simplified-document.js';
import {
  AUTHORITY_STATUSES,
  BATCH_STATUSES,
  CANCELLATION_STATUSES,
  SUBMISSION_STATUSES,
} from '../documents/statuses.js';
import { VERIFICATION_STATUSES } from '../errors/dto/error.dto.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { WAITING_CODES } from '../status/waiting.js';
import { TAXPAYER_CHECK_REASONS } from '../taxpayer/dto/taxpayer-check.dto.js';

interface NamedEnum {
  readonly values: readonly string[];
  readonly description: string;
}

/** An empty text, which the service accepts as "not given". */
export const EMPTY_CHOICE = '';

const OPEN = 'Open: values may be added within `v1`, so accept one that you do not know';

/** The names of all enum schemas of the API description, from which generators create types. */
const NAMED_ENUMS: Readonly<Record<string, NamedEnum>> = {
  SubmissionType: { values: SUBMISSION_TYPES, description: 'Kind of buyers: named, or the general public.' },
  DocumentType: { values: DOCUMENT_TYPES, description: 'Kind of document.' },
  EntityType: { values: ENTITY_TYPES, description: 'Kind of buyer.' },
  IdType: { values: ID_TYPES, description: 'Scheme of an id number.' },
  Environment: { values: ENVIRONMENTS, description: 'Environment of an API key.' },
  SubmissionStatus: { values: SUBMISSION_STATUSES, description: `Platform status of a document. ${OPEN}.` },
  AuthorityStatus: { values: AUTHORITY_STATUSES, description: `Status of a document at the authority. ${OPEN}.` },
  BatchStatus: { values: BATCH_STATUSES, description: `Status of a batch. ${OPEN}; \`terminal\` says when to stop.` },
  CancellationStatus: { values: CANCELLATION_STATUSES, description: `Status of a cancel request. ${OPEN}.` },
  VerificationStatus: { values: VERIFICATION_STATUSES, description: `Whether an organisation is verified. ${OPEN}.` },
  WaitingCode: { values: WAITING_CODES, description: `Why a document waits. ${OPEN}.` },
  TaxpayerCheckReason: { values: TAXPAYER_CHECK_REASONS, description: `Why a TIN is not valid. ${OPEN}.` },
  EmptyText: { values: [EMPTY_CHOICE], description: 'Counts as a missing member.' },
  ErrorCode: {
    values: Object.keys(ERROR_CODES),
    description: `The code of an error, listed in docs/errors.md with its fix. ${OPEN}: go by the HTTP status then.`,
  },
};

/** @throws Error if the list has no name, because generators would invent one */
export function referToEnum(values: readonly unknown[]): { $ref: string } {
  const [name] = Object.entries(NAMED_ENUMS).find(([, known]) => isDeepStrictEqual([...known.values], values)) ?? [];
  if (name === undefined) throw new Error(`Name the enum ${values.join(', ')} in named-enums.ts`);
  return { $ref: getSchemaPath(name) };
}

export function buildEnumSchemas(): Record<string, object> {
  const schemas = Object.entries(NAMED_ENUMS).map(([name, { values, description }]) => [
    name,
    { type: 'string', enum: [...values], description },
  ]);
  return Object.fromEntries(schemas) as Record<string, object>;
}
