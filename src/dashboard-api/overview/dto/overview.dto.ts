import { ApiProperty } from '@nestjs/swagger';
import { InstantField, ReferenceIdField, TransactionIdField } from '../../../common/response-fields.js';

function Count(description: string): PropertyDecorator {
  return ApiProperty({ type: 'integer', minimum: 0, description });
}

export class OutcomeCountsDto {
  @Count('Waiting to be sent to the authority.')
  queued: number;

  @Count('Being sent.')
  processing: number;

  @Count('Accepted by the authority, which is validating them.')
  submitted: number;

  @Count('Valid at the authority.')
  valid: number;

  @Count('Found invalid by the authority.')
  invalid: number;

  @Count('Valid once, then cancelled.')
  cancelled: number;

  @Count('Refused by the authority at submission.')
  submitFailed: number;
}

export class DayDto {
  @ApiProperty({ type: String, format: 'date', description: 'The day in Malaysia.' })
  day: string;

  @ApiProperty({ type: OutcomeCountsDto, description: 'Where the attempts stand now that were accepted on it.' })
  counts: OutcomeCountsDto;

  @Count('Credits that submits and cancels of this environment cost.')
  creditsUsed: number;
}

class OldestDto {
  @TransactionIdField({ description: 'Names the attempt.' })
  transactionId: string;

  @ReferenceIdField()
  referenceId: string;

  @InstantField('When it was accepted.')
  createdAt: Date;

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
