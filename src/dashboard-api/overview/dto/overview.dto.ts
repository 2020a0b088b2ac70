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
  @ApiProperty({ type: String, format: 'date', description: 'The day in Malaysia.' })
  day: string;

  @ApiProperty({
    type: CountsDto,
    description: 'Where the attempts stand now that were accepted on it, without replaced ones.',
  })
  counts: CountsDto;

  @Count('Credits that submits and cancels of this environment cost.')
  creditsUsed: number;
}

class WaitingDocumentDto extends PickType(TransactionRowDto, ['transactionId', 'referenceId', 'createdAt']) {
  @ApiProperty({ type: 'integer', minimum: 0 })
  waitingSeconds: number;
}

export class WaitingCountsDto {
  @Count('Waiting to be sent to the authority, held ones with them.')
  queued: number;

  @Count('Of these: credit notes that are held until their parent invoice is Valid.')
  held: number;

  @Count('Being sent.')
  processing: number;

  @Count('Of these: those whose response was lost, which are being looked up.')
  inDoubt: number;

  @Count('At the authority, which has not decided them yet.')
  atAuthority: number;

  @Count('Of all these: those that wait longer than usual. Held ones are not late.')
  late: number;

  @ApiProperty({ type: WaitingDocumentDto, isArray: true, description: 'The oldest of the late ones.' })
  lateDocuments: WaitingDocumentDto[];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Within how many seconds an outcome usually comes.' })
  usualSeconds: number;

  @ApiProperty({ type: WaitingDocumentDto, nullable: true, description: 'The one of them that was accepted first.' })
  oldest: WaitingDocumentDto | null;
}

export class OverviewDto {
  @InstantField("The service's clock.")
  now: Date;

  @ApiProperty({ type: DayDto, isArray: true, description: 'The days up to today, the earliest first.' })
  days: DayDto[];

  @ApiProperty({ type: WaitingCountsDto, description: 'What has no outcome yet, whenever it was accepted.' })
  waiting: WaitingCountsDto;

  @ApiProperty({
    type: NeedsActionDto,
    description: 'Documents whose last attempt failed, with the causes of most of them.',
  })
  needsAction: NeedsActionDto;

  @Count('Credits that can be spent now in this environment.')
  creditsLeft: number;
}

export class OutageDto {
  @ChosenField(OUTAGE_CODES, {
    description:
      '`not_running`: no dispatcher runs. `client_refused`: the authority refuses our own login. ' +
      '`authority_unavailable`: calls fail one after the other. `call_budget`: the authority has asked for a pause.',
  })
  code: OutageCode;

  @InstantField('Since when.')
  since: Date;

  @InstantField('When it ends, as far as that is known.', { nullable: true })
  until: Date | null;

  @ApiProperty({
    enum: STOPPED_PARTS,
    isArray: true,
    description: 'What it stops: sending, outcomes of what was sent, cancellations.',
  })
  stops: StoppedPart[];
}

export class OutageStateDto {
  @ApiProperty({ type: OutageDto, nullable: true, description: 'The gravest one; null: there is none.' })
  outage: OutageDto | null;
}
