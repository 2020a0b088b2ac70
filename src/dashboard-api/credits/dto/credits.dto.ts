import { ApiProperty } from '@nestjs/swagger';
import { ChosenField, InstantField, SubmissionBatchIdField } from '../../../common/response-fields.js';
import { AmountField, TextField } from '../../../http/validation/fields.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';
import { ORDER_CREDITS_MAX, ORDER_STATUSES, type OrderStatus } from '../../../credits/credit-orders.js';
import { CREDIT_KINDS, type CreditKind } from '../../../credits/credit-statement.js';
import { CREDIT_WARNINGS, type CreditWarning } from '../../../credits/credit-warnings.js';
import { PageOf } from '../../cursor.js';

const NOTE_CHARACTERS_MAX = 500;

export class LotDto {
  @ApiProperty({ type: String, format: 'uuid' })
  lotId: string;

  @ApiProperty({ type: 'integer', description: 'Credits that it began with.' })
  granted: number;

  @ApiProperty({ type: 'integer', description: 'Credits of it that can still be spent.' })
  remaining: number;

  @InstantField('When they were added.')
  grantedAt: Date;

  @InstantField('When they are gone: midnight in Malaysia after their last day.')
  expiresAt: Date;

  @ApiProperty({ type: String, format: 'date', description: 'The last day in Malaysia on which they can be spent.' })
  lastDay: string;

  @ChosenField(['sandbox'], {
    nullable: true,
    description: 'Where alone they can be spent; null: in both environments.',
  })
  environment: 'sandbox' | null;
}

export class CreditWarningDto {
  @ChosenField(CREDIT_WARNINGS, { description: 'Which warning.' })
  code: CreditWarning['code'];

  @ApiProperty({ type: String })
  message: string;

  @ApiProperty({ type: String, description: 'What to do.' })
  hint: string;
}

export class CreditPackDto {
  @ApiProperty({ type: 'integer' })
  credits: number;

  @ApiProperty({ type: Number, description: 'In RM.', example: 400 })
  price: number;
}

export class CreditsDto {
  @ApiProperty({ type: 'integer', description: 'Credits that can be spent now.' })
  balance: number;

  @ApiProperty({ type: 'integer', description: 'Those of them that can be spent in the sandbox alone.' })
  sandboxOnly: number;

  @ApiProperty({ type: 'integer', description: 'What documents and cancellations cost in the last seven days.' })
  usedLastSevenDays: number;

  @ApiProperty({ type: LotDto, isArray: true, description: 'The next to be spent first.' })
  lots: LotDto[];

  @ApiProperty({ type: CreditWarningDto, isArray: true })
  warnings: CreditWarningDto[];

  @ApiProperty({ type: CreditPackDto, isArray: true, description: 'What is sold at a price; other numbers have none.' })
  packs: CreditPackDto[];
}

export class CreditEntryDto {
  @ApiProperty({ type: 'integer', description: 'Its number in the statement, from 1.' })
  sequence: number;

  @InstantField('When.')
  at: Date;

  @ChosenField(CREDIT_KINDS, { description: 'What changed the balance.' })
  kind: CreditKind;

  @ApiProperty({ type: 'integer', description: 'Credits; negative when they were spent or have expired.' })
  amount: number;

  @ApiProperty({ type: 'integer' })
  balanceAfter: number;

  @ChosenField(ENVIRONMENTS, { nullable: true, description: 'Null for grants and expiries of credits for both.' })
  environment: Environment | null;

  @ApiProperty({ type: String, description: 'What it is for, in words.' })
  purpose: string;

  @SubmissionBatchIdField({ nullable: true, description: 'The batch that it paid for.' })
  submissionBatchId: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'The attempt that was cancelled.' })
  transactionId: string | null;
}

export class CreditEntriesDto extends PageOf(CreditEntryDto) {}

export class OrderCreditsDto {
  @AmountField({ description: `Credits, 1 to ${ORDER_CREDITS_MAX}.`, example: 1_000, decimals: 0, minimum: 1 })
  credits: number;

  @TextField({
    description: 'For the person who confirms the payment, such as its reference.',
    example: 'Bank transfer of 21 November, reference 7731',
    required: false,
    maxLength: NOTE_CHARACTERS_MAX,
    layout: 'paragraph',
  })
  note?: string;
}

export class OrderDto {
  @ApiProperty({ type: String, format: 'uuid' })
  orderId: string;

  @ApiProperty({ type: 'integer' })
  credits: number;

  @ApiProperty({ type: Number, nullable: true, description: 'In RM; null when no pack has this number of credits.' })
  price: number | null;

  @ApiProperty({ type: String, description: 'To be written on the transfer.', example: 'EI-9F3A2C41' })
  reference: string;

  @ChosenField(ORDER_STATUSES, { description: '`Requested` until it is decided.' })
  status: OrderStatus;

  @ApiProperty({ type: String, nullable: true })
  note: string | null;

  @ApiProperty({ type: String, description: 'E-mail address.' })
  requestedBy: string;

  @InstantField('When it was made.')
  requestedAt: Date;

  @InstantField('When it was paid, refused or cancelled.', { nullable: true })
  decidedAt: Date | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why an operator refused it.' })
  reason: string | null;

  @InstantField('When the credits of a paid order expire.', { nullable: true })
  expiresAt: Date | null;
}

export class OrdersDto extends PageOf(OrderDto) {}
