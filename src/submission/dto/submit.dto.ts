import { DocumentDto } from '../../documents/dto/document.dto.js';
import { SUBMISSION_TYPES, type SubmissionType } from '../../documents/simplified-document.js';
import { ChoiceField, ListField } from '../../http/validation/fields.js';
import { EXAMPLE } from '../../documents/dto/document-examples.js';

export const DOCUMENTS_MAX = 100;

export class SubmitDto {
  @ChoiceField({
    description:
      'With `non-consolidated`, each document has a buyer. With `consolidated`, the buyer is the general public.',
    example: 'non-consolidated',
    choices: SUBMISSION_TYPES,
    alias: 'submissionType',
  })
  submission_type?: SubmissionType;

  @ChoiceField({
    description: 'Kind of buyers.',
    example: 'non-consolidated',
    choices: SUBMISSION_TYPES,
    aliasOf: 'submission_type',
  })
  submissionType?: SubmissionType;

  @ListField(() => DocumentDto, {
    description: 'The documents. The response has the same order.',
    example: [EXAMPLE.document],
    ruleScope: '',
    minItems: 1,
    maxItems: DOCUMENTS_MAX,
    maxItemsHint: 'send several requests, each with its own idempotency-key',
  })
  documents: DocumentDto[];
}
