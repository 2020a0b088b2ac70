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

  @ApiProperty({ type: 'integer', description: 'Granted credits.' })
  granted: number;

  @ApiProperty({ type: 'integer', description: 'Remaining credits.' })
  remaining: number;

  @InstantField('Time of the grant.')
  grantedAt: Date;

  @InstantField('Expiry, which is midnight in Malaysia after the last day.')
  expiresAt: Date;

  @ApiProperty({ type: String, format: 'date', description: 'Last day in Malaysia on which the credits can be spent.' })
  lastDay: string;

  @ChosenField(['sandbox'], {
    nullable: true,
    description: 'Only environment in which the credits can be spent; null means both.',
  })
  environment: 'sandbox' | null;
}

export class CreditWarningDto {
  @ChosenField(CREDIT_WARNINGS, { description: 'Code of the warning.' })
  code: CreditWarning['code'];

  @ApiProperty({ type: String })
  message: string;

  @ApiProperty({ type: String, description: 'How to resolve the warning.' })
  hint: string;
}

export class CreditPackDto {
  @ApiProperty({ type: 'integer' })
  credits: number;

  @ApiProperty({ type: Number, description: 'Price in RM.', example: 400 })
  price: number;
}

export class CreditsDto {
  @ApiProperty({ type: 'integer', description: 'Credits that can be spent now.' })
  balance: number;

  @ApiProperty({ type: 'integer', description: 'Credits that can be spent only in the sandbox.' })
  sandboxOnly: number;

  @ApiProperty({ type: 'integer', description: 'Credits spent in the last seven days.' })
  usedLastSevenDays: number;

  @ApiProperty({ type: LotDto, isArray: true, description: 'In the order in which they are spent.' })
  lots: LotDto[];

  @ApiProperty({ type: CreditWarningDto, isArray: true })
  warnings: CreditWarningDto[];

  @ApiProperty({ type: CreditPackDto, isArray: true, description: 'Packs with a fixed price.' })
  packs: CreditPackDto[];
}

export class CreditEntryDto {
  @ApiProperty({ type: 'integer', description: 'Number of the entry, starting at 1.' })
  sequence: number;

  @InstantField('Time of the entry.')
  at: Date;

  @ChosenField(CREDIT_KINDS, { description: 'Kind of the entry.' })
  kind: CreditKind;

  @ApiProperty({ type: 'integer', description: 'Change of the balance; negative for spent and expired credits.' })
  amount: number;

  @ApiProperty({ type: 'integer' })
  balanceAfter: number;

  @ChosenField(ENVIRONMENTS, {
    nullable: true,
    description: 'Null for grants and expiries of credits for both environments.',
  })
  environment: Environment | null;

  @ApiProperty({ type: String, description: 'Purpose of the entry, in words.' })
  purpose: string;

  @SubmissionBatchIdField({ nullable: true, description: 'Batch that the credits paid for.' })
  submissionBatchId: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'Cancelled attempt.' })
  transactionId: string | null;
}

export class CreditEntriesDto extends PageOf(CreditEntryDto) {}

export class OrderCreditsDto {
  @AmountField({
    description: `Number of credits, 1 to ${ORDER_CREDITS_MAX}.`,
    example: 1_000,
    decimals: 0,
    minimum: 1,
  })
  credits: number;

  @TextField({
    description: 'Note for the operator who confirms the payment, such as its reference.',
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

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Price in RM; null if no pack has this number of credits.',
  })
  price: number | null;

  @ApiProperty({ type: String, description: 'Payment reference of the transfer.', example: 'EI-9F3A2C41' })
  reference: string;

  @ChosenField(ORDER_STATUSES, { description: '`Requested` until the order is decided.' })
  status: OrderStatus;

  @ApiProperty({ type: String, nullable: true })
  note: string | null;

  @ApiProperty({ type: String, description: 'E-mail address of the ordering user.' })
  requestedBy: string;

  @InstantField('Time of the order.')
  requestedAt: Date;

  @InstantField('Time of the payment, refusal or cancellation.', { nullable: true })
  decidedAt: Date | null;

  @ApiProperty({ type: String, nullable: true, description: 'Reason for a refusal.' })
  reason: string | null;

  @InstantField('Expiry of the credits of a paid order.', { nullable: true })
  expiresAt: Date | null;
}

export class OrdersDto extends PageOf(OrderDto) {}
