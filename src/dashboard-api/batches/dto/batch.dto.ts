import { ApiProperty } from '@nestjs/swagger';
import { ChosenField, InstantField, SubmissionBatchIdField } from '../../../common/response-fields.js';
import { SUBMISSION_TYPES, type SubmissionType } from '../../../documents/simplified-document.js';
import { BATCH_STATUSES, type BatchStatus } from '../../../documents/statuses.js';
import { CountsDto } from '../../../status/dto/submission-status.dto.js';
import { PageOf } from '../../cursor.js';
import { ActorDto, ActorField } from '../../shown-actor.js';

/** The status of a batch whose attempts have all been replaced by later ones. */
export const REPLACED = 'Replaced';
const SHOWN_BATCH_STATUSES = [...BATCH_STATUSES, REPLACED] as const;

export class BatchDto {
  @SubmissionBatchIdField()
  submissionBatchId: string;

  @ChosenField(SUBMISSION_TYPES, { description: 'The `submission_type` of the request.' })
  submissionType: SubmissionType;

  @ChosenField(SHOWN_BATCH_STATUSES, {
    description: 'Of all its attempts together that are the last of their document; `Replaced` when none is.',
  })
  status: BatchStatus | typeof REPLACED;

  @ApiProperty({ type: 'integer', minimum: 1 })
  documentCount: number;

  @ApiProperty({
    type: CountsDto,
    description: 'Number of documents in each status, without those that were submitted again.',
  })
  counts: CountsDto;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'Documents that were submitted again, in another batch, after they had failed here or were cancelled.',
  })
  replacedCount: number;

  @InstantField('When it was accepted.')
  createdAt: Date;

  @ActorField('Who submitted it; null when it was accepted before that was recorded.')
  submittedBy: ActorDto | null;
}

export class BatchPageDto extends PageOf(BatchDto) {}
