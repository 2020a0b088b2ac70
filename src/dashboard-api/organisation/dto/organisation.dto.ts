import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';
import { ID_TYPES, type IdType } from '../../../documents/identity.js';
import type { EffectiveLimits } from '../../../rate-limits/limits.js';
import type { ProfileDoubt } from '../../../tenants/profile-doubts.js';
import type { ProfileField, TenantProfile } from '../../../tenants/tenant-profile.js';
import { VERIFICATION_STATUSES, type VerificationStatus } from '../../../tenants/verification/verification.js';

/** Descriptions and examples of the profile fields, shared by request and response. */
const FIELDS: Readonly<Record<Exclude<ProfileField, 'idType'>, readonly [description: string, example: string]>> = {
  name: ['Registered name.', 'Kedai Contoh Sdn Bhd'],
  tin: ['Taxpayer identification number.', 'C1234567890'],
  idValue: ['Number of the id.', '201901234567'],
  sstNumber: ['Registration for sales and service tax.', 'W10-1808-32000001'],
  ttxNumber: ['Registration for tourism tax.', '123-4567-89012345'],
  msic: ['Industry, five digits of the MSIC list.', '46510'],
  activity: ['Business activity.', 'Wholesale of computers'],
  addressLine1: ['First line of the address.', 'Lot 66'],
  addressLine2: ['Second line of the address.', 'Jalan Persiaran'],
  city: ['City.', 'Kuala Lumpur'],
  postcode: ['Postcode.', '50480'],
  stateCode: ['Code of the state. A change may also contain its slug, such as `selangor`.', '14'],
  country: ['Country, ISO 3166-1 alpha-3.', 'MYS'],
  phone: ['Phone with the country code.', '+60312345678'],
  email: ['E-mail address.', 'akaun@kedai.example'],
  defaultTaxType: ['Tax type of taxed lines without a tax type.', '01'],
  defaultClassification: ['Classification of lines without a classification.', '022'],
};

const ID_TYPE = 'Type of the id other than the TIN.';

function ProfileText(field: keyof typeof FIELDS, options: { nullable?: boolean; required?: boolean } = {}) {
  const [description, example] = FIELDS[field];
  return ApiProperty({ type: String, description, example, ...options });
}

const Known = (field: keyof typeof FIELDS): PropertyDecorator => ProfileText(field, { nullable: true });

export class ProfileDto implements TenantProfile {
  @ProfileText('name')
  name: string;

  @Known('tin')
  tin: string | null;

  @ChosenField(ID_TYPES, { nullable: true, description: ID_TYPE })
  idType: IdType | null;

  @Known('idValue')
  idValue: string | null;

  @Known('sstNumber')
  sstNumber: string | null;

  @Known('ttxNumber')
  ttxNumber: string | null;

  @Known('msic')
  msic: string | null;

  @Known('activity')
  activity: string | null;

  @Known('addressLine1')
  addressLine1: string | null;

  @Known('addressLine2')
  addressLine2: string | null;

  @Known('city')
  city: string | null;

  @Known('postcode')
  postcode: string | null;

  @Known('stateCode')
  stateCode: string | null;

  @Known('country')
  country: string | null;

  @Known('phone')
  phone: string | null;

  @Known('email')
  email: string | null;

  @ProfileText('defaultTaxType')
  defaultTaxType: string;

  @Known('defaultClassification')
  defaultClassification: string | null;
}

/** Missing fields are kept. Null or empty fields are cleared. */
export class ProfileChangeDto extends PartialType(OmitType(ProfileDto, ['name', 'defaultTaxType'])) {
  @ProfileText('name', { nullable: true, required: false })
  name?: string | null;

  @ProfileText('defaultTaxType', { nullable: true, required: false })
  defaultTaxType?: string | null;
}

export class AppointmentStateDto {
  @ChosenField(ENVIRONMENTS, { description: 'Environment.' })
  environment: Environment;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Last verdict of the authority for the TIN in the profile; null before the first check.',
  })
  isAppointed: boolean | null;

  @InstantField('Time of the last check; null before the first check.', { nullable: true })
  checkedAt: Date | null;
}

export class VerificationStateDto {
  @ChosenField(ENVIRONMENTS, { description: 'Environment.' })
  environment: Environment;

  @ChosenField(VERIFICATION_STATUSES, { description: 'Verification status of the TIN in the profile.' })
  status: VerificationStatus;

  @ApiProperty({ type: String, nullable: true, description: 'Reason for a refusal; null otherwise.' })
  reason: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Status as a sentence; null if verified.' })
  message: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Next step; null if verified.' })
  action: string | null;

  @InstantField('Time of the last change; null if unverified.', { nullable: true })
  updatedAt: Date | null;
}

export class IntermediaryDto {
  @ApiProperty({ type: String, description: 'TIN.', example: 'C20830570210' })
  tin: string;

  @ApiProperty({ type: String, description: 'Business registration number.', example: '202001234567' })
  brn: string;

  @ApiProperty({ type: String, description: 'Registered name.', example: 'Example E-Invoicing Sdn Bhd' })
  name: string;
}

export class OnboardingDto {
  @ApiProperty({ type: Boolean, description: 'Whether the profile is complete.' })
  isProfileComplete: boolean;

  @ApiProperty({
    type: IntermediaryDto,
    nullable: true,
    description: 'Company to appoint in the portal of the authority; null if not configured.',
  })
  intermediary: IntermediaryDto | null;

  @ApiProperty({ type: AppointmentStateDto, isArray: true, description: 'One entry per environment of this service.' })
  appointments: AppointmentStateDto[];

  @ApiProperty({ type: VerificationStateDto, isArray: true, description: 'One entry per environment of this service.' })
  verifications: VerificationStateDto[];

  @ApiProperty({ type: Boolean, description: 'Whether the organisation has an active sandbox key.' })
  hasSandboxKey: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether a document was sent to the sandbox.' })
  hasSandboxDocument: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether the sandbox has a valid document.' })
  hasValidSandboxDocument: boolean;
}

class RateFiguresDto {
  @ApiProperty({ type: 'integer', description: 'Requests per minute; 0 means unlimited.' })
  requests: number;

  @ApiProperty({ type: 'integer', description: 'Submits per minute; 0 means unlimited.' })
  submits: number;

  @ApiProperty({ type: 'integer', description: 'TIN checks per minute; 0 means unlimited.' })
  tinChecks: number;
}

class RateLimitsDto implements EffectiveLimits {
  @ApiProperty({ type: RateFiguresDto, description: 'Limits of each API key.' })
  key: RateFiguresDto;

  @ApiProperty({ type: RateFiguresDto, description: 'Limits of all keys together.' })
  organisation: RateFiguresDto;
}

class ProfileDoubtDto implements ProfileDoubt {
  @ApiProperty({ type: String, description: 'Field of the profile.', example: 'tin' })
  field: ProfileField;

  @ApiProperty({ type: String, description: 'Reason for the doubt.' })
  message: string;

  @ApiProperty({ type: String, description: 'How to resolve the doubt.' })
  hint: string;
}

/** Separate values per environment, because some lots can be spent only in the sandbox. */
export class RemainingCreditsDto {
  @ApiProperty({ type: 'integer' })
  sandbox: number;

  @ApiProperty({ type: 'integer' })
  production: number;
}

export class OrganisationDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @InstantField('Time of the sign-up.')
  createdAt: Date;

  @ApiProperty({ type: ProfileDto })
  profile: ProfileDto;

  @ApiProperty({
    type: String,
    isArray: true,
    example: ['TIN', 'address'],
    description: 'Missing fields of the profile, required to send documents.',
  })
  missing: string[];

  @ApiProperty({
    type: ProfileDoubtDto,
    isArray: true,
    description: 'Values of the profile that the authority will probably refuse.',
  })
  doubts: ProfileDoubtDto[];

  @ApiProperty({ type: OnboardingDto })
  onboarding: OnboardingDto;

  @ApiProperty({ type: RemainingCreditsDto, description: 'Credits that can be spent now.' })
  remainingCredits: RemainingCreditsDto;

  @ApiProperty({ type: RateLimitsDto, description: 'Rate limits of the API.' })
  rateLimits: RateLimitsDto;
}

export class AppointmentProblemDto {
  @ApiProperty({ type: String, description: 'Problem.' })
  message: string;

  @ApiProperty({ type: String, description: 'How to fix the problem.' })
  fix: string;
}

export class AppointmentDto {
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the authority lets the service act for the organisation; null if the check was inconclusive.',
  })
  isAppointed: boolean | null;

  @InstantField('Time of the check.')
  checkedAt: Date;

  @ApiProperty({ type: AppointmentProblemDto, isArray: true })
  problems: AppointmentProblemDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Message of the authority.' })
  authorityMessage: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Seconds until the check should be repeated; null if waiting does not help.',
  })
  retryAfterSeconds: number | null;
}
