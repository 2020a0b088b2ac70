import { ApiProperty, PickType } from '@nestjs/swagger';
import { InstantField, TransactionIdField } from '../../../common/response-fields.js';
import { CountsDto } from '../../../status/dto/submission-status.dto.js';
import { TransactionRowDto } from '../../transactions/dto/transaction-row.dto.js';

function Count(description: string): PropertyDecorator {
  return ApiProperty({ type: 'integer', minimum: 0, description });
}

export class DayDto {
  @ApiProperty({ type: String, format: 'date', description: 'The day in Malaysia.' })
  day: string;

  @ApiProperty({ type: CountsDto, description: 'Where the attempts stand now that were accepted on it.' })
  counts: CountsDto;

  @Count('Credits that submits and cancels of this environment cost.')
  creditsUsed: number;
}

class OldestDto extends PickType(TransactionRowDto, ['transactionId', 'referenceId', 'createdAt']) {
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

  @Count('Of these: those whose answer was lost, which are being looked up.')
  inDoubt: number;

  @ApiProperty({ type: OldestDto, nullable: true, description: 'The one of them that was accepted first.' })
  oldest: OldestDto | null;
}

export class FrequentErrorDto {
  @ApiProperty({ type: String, example: 'buyer_tin_invalid' })
  code: string;

  @Count('Documents that failed with it.')
  documents: number;

  @ApiProperty({ type: String, description: 'What is wrong, as the latest says it.' })
  message: string;

  @ApiProperty({ type: String, nullable: true, description: 'How to fix it.' })
  hint: string | null;

  @ApiProperty({ type: String, nullable: true, description: "The authority's own code." })
  authorityCode: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Where it is, in words.' })
  field: string | null;

  @TransactionIdField({ description: 'The latest attempt with it.' })
  transactionId: string;
}

export class OverviewDto {
  @InstantField("The service's clock.")
  now: Date;

  @ApiProperty({ type: DayDto, isArray: true, description: 'The days up to today, the earliest first.' })
  days: DayDto[];

  @ApiProperty({ type: WaitingCountsDto, description: 'What has no outcome yet, whenever it was accepted.' })
  waiting: WaitingCountsDto;

  @ApiProperty({
    type: FrequentErrorDto,
    isArray: true,
    description: 'Of the latest failures, the most frequent first.',
  })
  frequentErrors: FrequentErrorDto[];

  @Count('How many failures were looked at, at most.')
  failuresLookedAt: number;

  @Count('Credits that can be spent now, in both environments.')
  creditsLeft: number;
}
