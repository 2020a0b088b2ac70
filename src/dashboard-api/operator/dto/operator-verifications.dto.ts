import { ApiProperty } from '@nestjs/swagger';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { ChoiceField, TextField } from '../../../http/validation/fields.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';
import { ID_TYPES, type IdType } from '../../../documents/identity.js';
import { VERIFICATION_STATUSES, type VerificationStatus } from '../../../tenants/verification/verification.js';
import { PageOf } from '../../cursor.js';

const REASON_CHARACTERS_MAX = 500;

export const TIN_SHARINGS = ['exclusive', 'shared'] as const;
export type TinSharing = (typeof TIN_SHARINGS)[number];

class EnvironmentVerificationDto {
  @ChosenField(ENVIRONMENTS, { description: 'Where.' })
  environment: Environment;

  @ChosenField(VERIFICATION_STATUSES, { description: 'Where the organisation stands with the TIN of its profile.' })
  status: VerificationStatus;

  @ApiProperty({ type: Boolean, description: 'Whether the TIN may be verified for other organisations too.' })
  isShared: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'Why it was refused; null otherwise.' })
  reason: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Who decided; null while nobody has.' })
  decidedBy: string | null;

  @InstantField('Since when; null while it is unverified.', { nullable: true })
  updatedAt: string | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the authority lets the service act for the TIN; null when it was not asked.',
  })
  isAppointed: boolean | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the authority knows the TIN together with the id; null when it was not asked.',
  })
  isIdConfirmed: boolean | null;

  @InstantField('When the authority was asked; null when it was not.', { nullable: true })
  appointmentCheckedAt: string | null;
}

class OtherOrganisationDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  name: string;

  @ChosenField(ID_TYPES, { nullable: true, description: 'What kind of id it has.' })
  idType: IdType | null;

  @ApiProperty({ type: String, nullable: true, description: 'Number of the id.' })
  idValue: string | null;

  @ChosenField(VERIFICATION_STATUSES, { description: 'Where it stands in the sandbox.' })
  sandbox: VerificationStatus;

  @ChosenField(VERIFICATION_STATUSES, { description: 'Where it stands in production.' })
  production: VerificationStatus;
}

export class VerificationEvidenceDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String, description: 'Name of the organisation.' })
  name: string;

  @ApiProperty({ type: String, nullable: true, description: 'Its TIN.' })
  tin: string | null;

  @ChosenField(ID_TYPES, { nullable: true, description: 'The type of its id, other than the TIN.' })
  idType: IdType | null;

  @ApiProperty({ type: String, nullable: true, description: 'Number of the id, such as its registration number.' })
  idValue: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of who signed up, not proven to be theirs; null for an organisation that an operator made.',
  })
  signUpEmail: string | null;

  @InstantField('When it was made.')
  createdAt: Date;

  @ApiProperty({ type: EnvironmentVerificationDto, isArray: true })
  environments: readonly EnvironmentVerificationDto[];

  @ApiProperty({ type: OtherOrganisationDto, isArray: true, description: 'Other organisations with this TIN.' })
  others: readonly OtherOrganisationDto[];
}

export class VerificationEvidencesDto extends PageOf(VerificationEvidenceDto) {}

/** What the operator saw: a decision about something else is refused. */
class SeenVerificationDto {
  @TextField({ description: 'The TIN that was looked at.', example: 'C1234567890', maxLength: 14 })
  tin: string;

  @ChoiceField({ description: 'The kind of id that was looked at.', choices: ID_TYPES })
  idType: IdType;

  @TextField({ description: 'The number of the id.', example: '201901234567', maxLength: 20 })
  idValue: string;

  @ChoiceField({ description: 'Where the organisation stood.', choices: VERIFICATION_STATUSES })
  status: VerificationStatus;
}

export class VerifyTaxpayerDto extends SeenVerificationDto {
  @ChoiceField({
    description: '`shared` verifies although the TIN is verified for another organisation, which keeps it.',
    choices: TIN_SHARINGS,
  })
  sharing: TinSharing;
}

export class RefuseTaxpayerDto extends SeenVerificationDto {
  @TextField({
    description: 'Why, for the organisation to read.',
    example: 'The registration number belongs to another company',
    maxLength: REASON_CHARACTERS_MAX,
    layout: 'paragraph',
  })
  reason: string;
}
