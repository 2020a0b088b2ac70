import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';
import { AuditEntryDto } from '../../audit/dto/audit.dto.js';
import { PageOf } from '../../cursor.js';
import { CallBudgetDto } from './operator-queue.dto.js';
import { TextField, WholeNumberField } from '../../../http/validation/fields.js';
import { OrderDto } from '../../credits/dto/credits.dto.js';
import { PER_MINUTE_MAX } from '../../../config/rate-limit-settings.js';
import type { LimitByKind } from '../../../rate-limits/limits.js';

const figure = (what: string, example: number): PropertyDecorator =>
  WholeNumberField({
    description: `${what} per minute of all keys together. 0 means unlimited; the default applies if missing.`,
    example,
    required: false,
    minimum: 0,
    maximum: PER_MINUTE_MAX,
  });

/** Missing limits are reset to the default. */
export class ChangeLimitsDto implements Partial<LimitByKind> {
  @figure('Requests', 3_000)
  requests?: number;

  @figure('Submits', 600)
  submits?: number;

  @figure('TIN checks', 300)
  tinChecks?: number;
}

const own = (what: string): PropertyDecorator =>
  ApiProperty({
    type: 'integer',
    nullable: true,
    description: `${what} per minute. Null means the default, 0 unlimited.`,
  });

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

  @ApiProperty({ type: String, isArray: true, description: 'Missing fields of the profile, required to submit.' })
  missing: string[];

  @ApiProperty({ type: 'integer', description: 'Credits of the organisation, except sandbox-only credits.' })
  balance: number;

  @ApiProperty({ type: 'integer', description: 'Documents accepted in the last 30 days.' })
  documentsLast30Days: number;

  @InstantField('Acceptance of the latest batch; null if none.', { nullable: true })
  lastActivityAt: Date | null;

  @ApiProperty({ type: OwnLimitsDto, description: 'Rate limits set by an operator.' })
  rateLimits: OwnLimitsDto;
}

export class OrganisationListingsDto extends PageOf(OrganisationListingDto) {}

export class DispatcherDto {
  @InstantField('Last sign of a running dispatcher; null if none has run.', { nullable: true })
  seenAt: Date | null;

  @InstantField('Time at which the oldest queued document was queued; null if none waits.', { nullable: true })
  oldestQueuedAt: Date | null;
}

class ApiBudgetDto extends OmitType(CallBudgetDto, ['environment', 'clientId', 'nextAt']) {
  @ApiProperty({ type: Number, nullable: true, description: 'Allowed calls per minute; null means unlimited.' })
  callsPerMinute: number | null;

  @InstantField('Earliest time of the next call; null before the first call.', { nullable: true })
  nextAt: Date | null;
}

class EnvironmentHealthDto {
  @ChosenField(ENVIRONMENTS, { description: 'Environment.' })
  environment: Environment;

  @ApiProperty({ type: 'integer', description: 'Organisations with a valid token.' })
  tokensHeld: number;

  @ApiProperty({ type: 'integer', description: 'Organisations with a refused login in the last minute.' })
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

  @ChosenField(ENVIRONMENTS, { description: 'Environment of the call.' })
  environment: Environment;

  @ChosenField(['sending', 'accepted', 'settled', 'unknown', 'failed'], { description: 'State of the call.' })
  state: string;

  @InstantField('Time of the first send.')
  sentAt: Date;

  @InstantField('Time of the last state change.')
  updatedAt: Date;

  @ApiProperty({ type: 'integer' })
  sends: number;

  @ApiProperty({ type: String, nullable: true, description: 'Error of a failed call.' })
  failure: string | null;
}

export class AuthorityHealthDto {
  @InstantField('Current time of the service.')
  now: Date;

  @ApiProperty({ type: DispatcherDto })
  dispatcher: DispatcherDto;

  @ApiProperty({ type: EnvironmentHealthDto, isArray: true })
  environments: EnvironmentHealthDto[];

  @ApiProperty({ type: RecentCallDto, isArray: true, description: 'Latest calls that sent documents.' })
  recentCalls: RecentCallDto[];
}

export class OperatorAuditEntryDto extends AuditEntryDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Name of the organisation; null for entries such as a sign-in.',
  })
  organisation: string | null;
}

export class OperatorAuditDto extends PageOf(OperatorAuditEntryDto) {}

const REASON_CHARACTERS_MAX = 500;

export class OperatorOrderDto extends OrderDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String, description: 'Name of the organisation.' })
  organisation: string;
}

export class OperatorOrdersDto extends PageOf(OperatorOrderDto) {}

export class ConfirmOrderDto {
  @TextField({
    description: 'Last day in Malaysia on which the credits can be spent. By default, twelve months from today.',
    example: '2027-12-31',
    required: false,
    maxLength: 10,
  })
  lastDay?: string;
}

export class RefuseOrderDto {
  @TextField({
    description: 'Reason, shown to the organisation.',
    example: 'No payment with this reference has arrived',
    maxLength: REASON_CHARACTERS_MAX,
    layout: 'paragraph',
  })
  reason: string;
}
