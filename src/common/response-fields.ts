import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

// Fields of several responses. `common/` must not import `documents/`, so lists of values are parameters.

type Options = Omit<ApiPropertyOptions, 'name' | 'enum' | 'type' | 'isArray'>;

export const EXAMPLE_IDS = {
  submissionBatchId: '019a8b5e-7c1f-7000-8000-000000000001',
  documentId: '019a8b5e-7c1f-7000-8000-000000000002',
  transactionId: '019a8b5e-7c1f-7000-8000-000000000003',
  cancellationId: '019a8b60-11aa-7000-8000-000000000004',
} as const;
export const EXAMPLE_REFERENCE_ID = 'INV-2026-0001';
export const EXAMPLE_INSTANT = '2026-01-31T08:00:00.000Z';

const REFERENCE_ID_CHARACTERS_MAX = 50;

export function SubmissionBatchIdField(options: Options = {}): PropertyDecorator {
  return describeUuid(EXAMPLE_IDS.submissionBatchId, {
    description: 'Identifies the batch. Send it to read the status.',
    ...options,
  });
}

export function DocumentIdField(options: Options = {}): PropertyDecorator {
  return describeUuid(EXAMPLE_IDS.documentId, {
    description:
      'Identifies the document. It remains the same for its documentType and referenceId, even after a resubmission. ' +
      'Send it to cancel the document.',
    ...options,
  });
}

export function TransactionIdField(options: Options & { description: string }): PropertyDecorator {
  return describeUuid(EXAMPLE_IDS.transactionId, options);
}

export function ReferenceIdField(options: Options = {}): PropertyDecorator {
  return ApiProperty({
    type: String,
    maxLength: REFERENCE_ID_CHARACTERS_MAX,
    example: EXAMPLE_REFERENCE_ID,
    description: 'Your document number as you sent it.',
    ...options,
  } as ApiPropertyOptions);
}

export function DocumentTypeField(documentTypes: readonly string[], options: Options = {}): PropertyDecorator {
  return ChosenField(documentTypes, { example: 'invoice', description: 'Type of the document.', ...options });
}

export function SubmissionStatusField(submissionStatuses: readonly string[], options: Options = {}): PropertyDecorator {
  return ChosenField(submissionStatuses, {
    example: 'Submitted',
    description:
      'Platform status of the latest attempt: `Queued` and `Processing` until the authority has responded, ' +
      '`Submitted` if it accepted the document, `SubmitFailed` if it did not.',
    ...options,
  });
}

export function AuthorityStatusField(authorityStatuses: readonly string[], options: Options = {}): PropertyDecorator {
  return ChosenField([...authorityStatuses], {
    nullable: true,
    example: 'Valid',
    description:
      'Status at the authority: `Submitted` while it validates, then `Valid` or `Invalid`, and `Cancelled` when a ' +
      'valid document was cancelled. Null until the authority has accepted the document.',
    ...options,
  });
}

export function ChosenField(values: readonly string[], options: Options): PropertyDecorator {
  const choices = options.nullable === true ? [...values, null] : [...values];
  return ApiProperty({ ...options, type: String, enum: choices } as ApiPropertyOptions);
}

export function InstantField(description: string, options: Options = {}): PropertyDecorator {
  return ApiProperty({
    type: String,
    format: 'date-time',
    example: EXAMPLE_INSTANT,
    description: `${description} UTC.`,
    ...options,
  } as ApiPropertyOptions);
}

function describeUuid(example: string, options: Options): PropertyDecorator {
  return ApiProperty({ type: String, format: 'uuid', example, ...options } as ApiPropertyOptions);
}
