import { ApiProperty } from '@nestjs/swagger';
import { ChosenField, InstantField, SubmissionBatchIdField } from '../../../common/response-fields.js';
import { SUBMISSION_TYPES, type SubmissionType } from '../../../documents/simplified-document.js';
import { BATCH_STATUSES, type BatchStatus } from '../../../documents/statuses.js';
import { CountsDto } from '../../../status/dto/submission-status.dto.js';
import { PageOf } from '../../cursor.js';
import { ActorDto, ActorField } from '../../shown-actor.js';

/** Status of a batch in which every attempt was replaced. */
export const REPLACED = 'Replaced';
const SHOWN_BATCH_STATUSES = [...BATCH_STATUSES, REPLACED] as const;

export class BatchDto {
  @SubmissionBatchIdField()
  submissionBatchId: string;

  @ChosenField(SUBMISSION_TYPES, { description: 'The `submission_type` of the request.' })
  submissionType: SubmissionType;

  @ChosenField(SHOWN_BATCH_STATUSES, {
    description: 'Status of all attempts that were not replaced; `Replaced` if all were replaced.',
  })
  status: BatchStatus | typeof REPLACED;

  @ApiProperty({ type: 'integer', minimum: 1 })
  documentCount: number;

  @ApiProperty({ type: CountsDto, description: 'Number of documents per status, without replaced attempts.' })
  counts: CountsDto;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'Documents that were resubmitted in another batch.',
  })
  replacedCount: number;

  @InstantField('Time of acceptance.')
  createdAt: Date;

  @ActorField('Submitter; null for batches from before submitters were recorded.')
  submittedBy: ActorDto | null;
}

export class BatchPageDto extends PageOf(BatchDto) {}
