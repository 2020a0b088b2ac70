import { ApiProperty, PickType } from '@nestjs/swagger';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import {
  OUTAGE_CODES,
  type OutageCode,
  STOPPED_PARTS,
  type StoppedPart,
} from '../../../dispatcher/operations/outages.js';
import { CountsDto } from '../../../status/dto/submission-status.dto.js';
import { NeedsActionDto } from '../../needs-action/dto/needs-action.dto.js';
import { TransactionRowDto } from '../../transactions/dto/transaction-row.dto.js';

function Count(description: string): PropertyDecorator {
  return ApiProperty({ type: 'integer', minimum: 0, description });
}

export class DayDto {
  @ApiProperty({ type: String, format: 'date', description: 'Day in Malaysia.' })
  day: string;

  @ApiProperty({
    type: CountsDto,
    description: 'Current statuses of the attempts that were accepted on this day, without replaced attempts.',
  })
  counts: CountsDto;

  @Count('Credits spent on submits and cancels in this environment.')
  creditsUsed: number;
}

class WaitingDocumentDto extends PickType(TransactionRowDto, ['transactionId', 'referenceId', 'createdAt']) {
  @ApiProperty({ type: 'integer', minimum: 0 })
  waitingSeconds: number;
}

export class WaitingCountsDto {
  @Count('Documents that wait to be sent, including held credit notes.')
  queued: number;

  @Count('Queued credit notes that are held until their parent invoice is Valid.')
  held: number;

  @Count('Documents in a call to the authority.')
  processing: number;

  @Count('Documents in a call whose response was lost. The service looks them up.')
  inDoubt: number;

  @Count('Documents that the authority is validating.')
  atAuthority: number;

  @Count('Documents that wait longer than usual. Held credit notes are not late.')
  late: number;

  @ApiProperty({ type: WaitingDocumentDto, isArray: true, description: 'Oldest late documents.' })
  lateDocuments: WaitingDocumentDto[];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Usual number of seconds until the outcome.' })
  usualSeconds: number;

  @ApiProperty({ type: WaitingDocumentDto, nullable: true, description: 'Oldest waiting document.' })
  oldest: WaitingDocumentDto | null;
}

export class OverviewDto {
  @InstantField('Current time of the service.')
  now: Date;

  @ApiProperty({ type: DayDto, isArray: true, description: 'Days up to today, earliest first.' })
  days: DayDto[];

  @ApiProperty({ type: WaitingCountsDto, description: 'Documents without an outcome.' })
  waiting: WaitingCountsDto;

  @ApiProperty({
    type: NeedsActionDto,
    description: 'Documents whose last attempt failed, with the most frequent causes.',
  })
  needsAction: NeedsActionDto;

  @Count('Credits that can be spent now in this environment.')
  creditsLeft: number;
}

export class OutageDto {
  @ChosenField(OUTAGE_CODES, {
    description:
      '`not_running`: no dispatcher is running. `client_refused`: the authority refuses the login of the service. ' +
      '`authority_unavailable`: consecutive calls fail. `call_budget`: the authority has requested a pause.',
  })
  code: OutageCode;

  @InstantField('Start of the outage.')
  since: Date;

  @InstantField('Expected end; null if unknown.', { nullable: true })
  until: Date | null;

  @ApiProperty({ enum: STOPPED_PARTS, isArray: true, description: 'Affected parts: sending, outcomes, cancellations.' })
  stops: StoppedPart[];
}

export class OutageStateDto {
  @ApiProperty({ type: OutageDto, nullable: true, description: 'Most severe outage; null if none.' })
  outage: OutageDto | null;
}
