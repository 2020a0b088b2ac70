import { ApiProperty } from '@nestjs/swagger';
import { ChosenField, InstantField, SubmissionBatchIdField } from '../../../common/response-fields.js';
import { SUBMISSION_TYPES, type SubmissionType } from '../../../documents/simplified-document.js';
import { BATCH_STATUSES, type BatchStatus } from '../../../documents/statuses.js';
import { CountsDto } from '../../../status/dto/submission-status.dto.js';
import { PageOf } from '../../cursor.js';
import { ActorDto, ActorField } from '../../shown-actor.js';

export class BatchDto {
  @SubmissionBatchIdField()
  submissionBatchId: string;

  @ChosenField(SUBMISSION_TYPES, { description: 'The `submission_type` of the request.' })
  submissionType: SubmissionType;

  @ChosenField(BATCH_STATUSES, { description: 'Of all its documents together.' })
  status: BatchStatus;

  @ApiProperty({ type: 'integer', minimum: 1 })
  documentCount: number;

  @ApiProperty({ type: CountsDto, description: 'Number of documents in each status.' })
  counts: CountsDto;

  @InstantField('When it was accepted.')
  createdAt: Date;

  @ActorField('Who submitted it; null when it was accepted before that was recorded.')
  submittedBy: ActorDto | null;
}

export class BatchPageDto extends PageOf(BatchDto) {}
