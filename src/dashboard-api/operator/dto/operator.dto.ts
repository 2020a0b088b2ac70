import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';
import { AuditEntryDto } from '../../audit/dto/audit.dto.js';
import { PageOf } from '../../cursor.js';
import { CallBudgetDto } from './operator-queue.dto.js';
import { TextField, WholeNumberField } from '../../../http/validation/fields.js';
import { OrderDto } from '../../credits/dto/credits.dto.js';
import { PER_MINUTE_MAX } from '../../../config/rate-limit-settings.js';
import type { RateFigures } from '../../../rate-limits/limits.js';

const figure = (what: string, example: number): PropertyDecorator =>
  WholeNumberField({
    description: `${what} a minute of all keys together; 0: any number. The usual one when left out.`,
    example,
    required: false,
    minimum: 0,
    maximum: PER_MINUTE_MAX,
  });

/** What is left out is as usual again. */
export class ChangeLimitsDto implements Partial<RateFigures> {
  @figure('Requests', 3_000)
  requests?: number;

  @figure('Submits', 600)
  submits?: number;

  @figure('TIN checks', 300)
  tinChecks?: number;
}

const own = (what: string): PropertyDecorator =>
  ApiProperty({ type: 'integer', nullable: true, description: `${what} a minute; null: as usual; 0: any number.` });

export class OwnLimitsDto {
  @own('Requests')
  requests: number | null;

  @own('Submits')
  submits: number | null;

  @own('TIN checks')
  tinChecks: number | null;
}

export class OrganisationListingDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  name: string;

  @ApiProperty({ type: String, nullable: true })
  tin: string | null;

  @ApiProperty({ type: String, isArray: true, description: 'What its profile lacks before it can submit.' })
  missing: string[];

  @ApiProperty({ type: 'integer', description: 'Credits that it can spend.' })
  balance: number;

  @ApiProperty({ type: 'integer', description: 'Documents accepted in the last thirty days.' })
  documentsLast30Days: number;

  @InstantField('When its latest batch was accepted; null when there is none.', { nullable: true })
  lastActivityAt: Date | null;

  @ApiProperty({ type: OwnLimitsDto, description: 'Its rate limits that an operator has set.' })
  rateLimits: OwnLimitsDto;
}

export class OrganisationListingsDto extends PageOf(OrganisationListingDto) {}

export class DispatcherDto {
  @InstantField('When a dispatcher was at work last, as its regular tasks show; null: never yet.', { nullable: true })
  seenAt: Date | null;

  @InstantField('When the oldest queued document entered its queue; null if none waits.', {
    nullable: true,
  })
  oldestQueuedAt: Date | null;
}

class ApiBudgetDto extends OmitType(CallBudgetDto, ['environment', 'clientId', 'nextAt']) {
  @ApiProperty({ type: Number, nullable: true, description: 'Calls that may be made; null: without limits.' })
  callsPerMinute: number | null;

  @InstantField('The earliest time of the next call; null: not called yet.', { nullable: true })
  nextAt: Date | null;
}

class EnvironmentHealthDto {
  @ChosenField(ENVIRONMENTS, { description: 'Which environment.' })
  environment: Environment;

  @ApiProperty({ type: 'integer', description: 'Organisations whose login works now.' })
  tokensHeld: number;

  @ApiProperty({ type: 'integer', description: 'Organisations whose login was refused within the last minute.' })
  loginsRefused: number;

  @ApiProperty({ type: ApiBudgetDto, isArray: true })
  apis: ApiBudgetDto[];
}

export class RecentCallDto {
  @ApiProperty({ type: String, format: 'uuid' })
  submissionId: string;

  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  organisation: string;

  @ChosenField(ENVIRONMENTS, { description: 'Where it went.' })
  environment: Environment;

  @ChosenField(['sending', 'accepted', 'settled', 'unknown', 'failed'], { description: 'What became of it.' })
  state: string;

  @InstantField('When it was sent first.')
  sentAt: Date;

  @InstantField('When that was known.')
  updatedAt: Date;

  @ApiProperty({ type: 'integer' })
  sends: number;

  @ApiProperty({ type: String, nullable: true, description: 'What went wrong.' })
  failure: string | null;
}

export class AuthorityHealthDto {
  @InstantField('The service’s clock at the response.')
  now: Date;

  @ApiProperty({ type: DispatcherDto })
  dispatcher: DispatcherDto;

  @ApiProperty({ type: EnvironmentHealthDto, isArray: true })
  environments: EnvironmentHealthDto[];

  @ApiProperty({ type: RecentCallDto, isArray: true, description: 'The latest calls that sent documents.' })
  recentCalls: RecentCallDto[];
}

export class OperatorAuditEntryDto extends AuditEntryDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null for what belongs to none, such as a sign-in.' })
  organisation: string | null;
}

export class OperatorAuditDto extends PageOf(OperatorAuditEntryDto) {}

const REASON_CHARACTERS_MAX = 500;

export class OperatorOrderDto extends OrderDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String, description: "The organisation's name." })
  organisation: string;
}

export class OperatorOrdersDto extends PageOf(OperatorOrderDto) {}

export class ConfirmOrderDto {
  @TextField({
    description: 'Last day in Malaysia on which the credits can be spent; twelve months from today when left out.',
    example: '2027-12-31',
    required: false,
    maxLength: 10,
  })
  lastDay?: string;
}

export class RefuseOrderDto {
  @TextField({
    description: 'Why, for the organisation to read.',
    example: 'No payment with this reference has arrived',
    maxLength: REASON_CHARACTERS_MAX,
    layout: 'paragraph',
  })
  reason: string;
}
