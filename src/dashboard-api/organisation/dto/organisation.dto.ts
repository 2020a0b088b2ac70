import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';
import { ID_TYPES, type IdType } from '../../../documents/identity.js';
import type { EffectiveFigures } from '../../../rate-limits/limits.js';
import type { ProfileDoubt } from '../../../tenants/profile-doubts.js';
import type { ProfileField, TenantProfile } from '../../../tenants/tenant-profile.js';
import { VERIFICATION_STATUSES, type VerificationStatus } from '../../../tenants/verification/verification.js';

/** What each field of a profile is, said once for its reading and its change. */
const FIELDS: Readonly<Record<Exclude<ProfileField, 'idType'>, readonly [description: string, example: string]>> = {
  name: ['Registered name.', 'Kedai Contoh Sdn Bhd'],
  tin: ['Taxpayer identification number.', 'C1234567890'],
  idValue: ['Number of the id.', '201901234567'],
  sstNumber: ['Registration for sales and service tax.', 'W10-1808-32000001'],
  ttxNumber: ['Registration for tourism tax.', '123-4567-89012345'],
  msic: ['Industry, five digits of the MSIC list.', '46510'],
  activity: ['What the business does.', 'Wholesale of computers'],
  addressLine1: ['First line of the address.', 'Lot 66'],
  addressLine2: ['Second line of the address.', 'Jalan Persiaran'],
  city: ['City.', 'Kuala Lumpur'],
  postcode: ['Postcode.', '50480'],
  stateCode: ['Code of the state; a change may also name it, such as `selangor`.', '14'],
  country: ['Country, ISO 3166-1 alpha-3.', 'MYS'],
  phone: ['Phone with the country code.', '+60312345678'],
  email: ['E-mail address.', 'akaun@kedai.example'],
  defaultTaxType: ['Tax type of taxed lines that name none.', '01'],
  defaultClassification: ['Classification of lines that name none.', '022'],
};

const ID_TYPE = "The type of the organisation's id, other than its TIN.";

function ProfileText(field: keyof typeof FIELDS, options: { nullable?: boolean; required?: boolean } = {}) {
  const [description, example] = FIELDS[field];
  return ApiProperty({ type: String, description, example, ...options });
}

/** A text that is there, or null. */
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

/** What may be sent: a field that is left out is kept, one that is null or empty is cleared. */
export class ProfileChangeDto extends PartialType(OmitType(ProfileDto, ['name', 'defaultTaxType'])) {
  @ProfileText('name', { nullable: true, required: false })
  name?: string | null;

  @ProfileText('defaultTaxType', { nullable: true, required: false })
  defaultTaxType?: string | null;
}

export class AppointmentStateDto {
  @ChosenField(ENVIRONMENTS, { description: 'Where.' })
  environment: Environment;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'What the authority last said for the TIN of the profile; null when it was never asked.',
  })
  isAppointed: boolean | null;

  @InstantField('When that was; null when it was never asked.', { nullable: true })
  checkedAt: Date | null;
}

export class VerificationStateDto {
  @ChosenField(ENVIRONMENTS, { description: 'Where.' })
  environment: Environment;

  @ChosenField(VERIFICATION_STATUSES, { description: 'Where the organisation stands with the TIN of its profile.' })
  status: VerificationStatus;

  @ApiProperty({ type: String, nullable: true, description: 'Why the operator refused; null otherwise.' })
  reason: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The same in a sentence; null when it is verified.' })
  message: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'What to do about it; null when it is verified.' })
  action: string | null;

  @InstantField('Since when; null while it is unverified.', { nullable: true })
  updatedAt: Date | null;
}

export class IntermediaryDto {
  @ApiProperty({ type: String, description: 'Its TIN.', example: 'C20830570210' })
  tin: string;

  @ApiProperty({ type: String, description: 'Its business registration number.', example: '202001234567' })
  brn: string;

  @ApiProperty({ type: String, description: 'Its registered name.', example: 'Example E-Invoicing Sdn Bhd' })
  name: string;
}

export class OnboardingDto {
  @ApiProperty({ type: Boolean, description: 'Whether nothing is missing from the profile.' })
  isProfileComplete: boolean;

  @ApiProperty({
    type: IntermediaryDto,
    nullable: true,
    description:
      'The company to appoint, as the portal of the authority asks for it; null when its operator did not say.',
  })
  intermediary: IntermediaryDto | null;

  @ApiProperty({ type: AppointmentStateDto, isArray: true, description: 'One for each environment that is served.' })
  appointments: AppointmentStateDto[];

  @ApiProperty({ type: VerificationStateDto, isArray: true, description: 'One for each environment that is served.' })
  verifications: VerificationStateDto[];

  @ApiProperty({ type: Boolean, description: 'Whether there is a key of the sandbox that works.' })
  hasSandboxKey: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether a document was ever sent to the sandbox.' })
  hasSandboxDocument: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether a document in the sandbox is valid.' })
  hasValidSandboxDocument: boolean;
}

class RateFiguresDto {
  @ApiProperty({ type: 'integer', description: 'Requests a minute; 0: any number.' })
  requests: number;

  @ApiProperty({ type: 'integer', description: 'Of them submits.' })
  submits: number;

  @ApiProperty({ type: 'integer', description: 'Of them TIN checks.' })
  tinChecks: number;
}

class RateLimitsDto implements EffectiveFigures {
  @ApiProperty({ type: RateFiguresDto, description: 'Of one API key.' })
  key: RateFiguresDto;

  @ApiProperty({ type: RateFiguresDto, description: 'Of all keys of the organisation together.' })
  organisation: RateFiguresDto;
}

class ProfileDoubtDto implements ProfileDoubt {
  @ApiProperty({ type: String, description: 'Which field of the profile.', example: 'tin' })
  field: ProfileField;

  @ApiProperty({ type: String, description: 'What is doubtful.' })
  message: string;

  @ApiProperty({ type: String, description: 'What to do.' })
  hint: string;
}

/** Some lots can be spent in the sandbox alone. */
export class RemainingCreditsDto {
  @ApiProperty({ type: 'integer' })
  sandbox: number;

  @ApiProperty({ type: 'integer' })
  production: number;
}

export class OrganisationDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @InstantField('When it signed up.')
  createdAt: Date;

  @ApiProperty({ type: ProfileDto })
  profile: ProfileDto;

  @ApiProperty({
    type: String,
    isArray: true,
    example: ['TIN', 'address'],
    description: 'What the profile lacks before a document can be sent.',
  })
  missing: string[];

  @ApiProperty({
    type: ProfileDoubtDto,
    isArray: true,
    description: 'What of the profile the authority probably refuses; a submit warns of the same of a buyer.',
  })
  doubts: ProfileDoubtDto[];

  @ApiProperty({ type: OnboardingDto })
  onboarding: OnboardingDto;

  @ApiProperty({ type: RemainingCreditsDto, description: 'Credits that can be spent now.' })
  remainingCredits: RemainingCreditsDto;

  @ApiProperty({ type: RateLimitsDto, description: 'How many requests the API takes.' })
  rateLimits: RateLimitsDto;
}

export class AppointmentProblemDto {
  @ApiProperty({ type: String, description: 'What stands in the way.' })
  message: string;

  @ApiProperty({ type: String, description: 'What to do about it, and who can.' })
  fix: string;
}

export class AppointmentDto {
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the authority lets the service act for the organisation; null when it gave no verdict.',
  })
  isAppointed: boolean | null;

  @InstantField('When the authority said so, or gave no verdict.')
  checkedAt: Date;

  @ApiProperty({ type: AppointmentProblemDto, isArray: true })
  problems: AppointmentProblemDto[];

  @ApiProperty({ type: String, nullable: true, description: "The authority's own words; null when it said nothing." })
  authorityMessage: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Seconds to wait before another try makes sense; null when there is nothing to wait for.',
  })
  retryAfterSeconds: number | null;
}
