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
  @ChosenField(ENVIRONMENTS, { description: 'Environment.' })
  environment: Environment;

  @ChosenField(VERIFICATION_STATUSES, { description: 'Verification status of the TIN in the profile.' })
  status: VerificationStatus;

  @ApiProperty({ type: Boolean, description: 'Whether other organisations may also be verified for the TIN.' })
  isShared: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'Reason for the refusal; null otherwise.' })
  reason: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Operator who decided; null before a decision.' })
  decidedBy: string | null;

  @InstantField('Time of the last change; null if unverified.', { nullable: true })
  updatedAt: string | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the authority lets the service act for the TIN; null before the first check.',
  })
  isAppointed: boolean | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the authority has confirmed that TIN and id belong together; null before the first check.',
  })
  isIdConfirmed: boolean | null;

  @InstantField('Time of the last check; null before the first check.', { nullable: true })
  appointmentCheckedAt: string | null;
}

class OtherOrganisationDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  name: string;

  @ChosenField(ID_TYPES, { nullable: true, description: 'Type of the id.' })
  idType: IdType | null;

  @ApiProperty({ type: String, nullable: true, description: 'Number of the id.' })
  idValue: string | null;

  @ChosenField(VERIFICATION_STATUSES, { description: 'Verification status in the sandbox.' })
  sandbox: VerificationStatus;

  @ChosenField(VERIFICATION_STATUSES, { description: 'Verification status in production.' })
  production: VerificationStatus;
}

export class VerificationEvidenceDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String, description: 'Name of the organisation.' })
  name: string;

  @ApiProperty({ type: String, nullable: true, description: 'TIN of the organisation.' })
  tin: string | null;

  @ChosenField(ID_TYPES, { nullable: true, description: 'Type of the id other than the TIN.' })
  idType: IdType | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Number of the id, such as the business registration number.',
  })
  idValue: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Unverified e-mail address of the sign-up; null if an operator created the organisation.',
  })
  signUpEmail: string | null;

  @InstantField('Creation of the organisation.')
  createdAt: Date;

  @ApiProperty({ type: EnvironmentVerificationDto, isArray: true })
  environments: readonly EnvironmentVerificationDto[];

  @ApiProperty({ type: OtherOrganisationDto, isArray: true, description: 'Other organisations with this TIN.' })
  others: readonly OtherOrganisationDto[];
}

export class VerificationEvidencesDto extends PageOf(VerificationEvidenceDto) {}

/** Data that the operator saw. The decision is rejected if this data has changed. */
class SeenVerificationDto {
  @TextField({ description: 'TIN that the operator saw.', example: 'C1234567890', maxLength: 14 })
  tin: string;

  @ChoiceField({ description: 'Type of the id that the operator saw.', choices: ID_TYPES })
  idType: IdType;

  @TextField({ description: 'Number of the id that the operator saw.', example: '201901234567', maxLength: 20 })
  idValue: string;

  @ChoiceField({ description: 'Verification status that the operator saw.', choices: VERIFICATION_STATUSES })
  status: VerificationStatus;
}

export class VerifyTaxpayerDto extends SeenVerificationDto {
  @ChoiceField({
    description: '`shared` allows several verified organisations with the same TIN.',
    choices: TIN_SHARINGS,
  })
  sharing: TinSharing;
}

export class RefuseTaxpayerDto extends SeenVerificationDto {
  @TextField({
    description: 'Reason, shown to the organisation.',
    example: 'The registration number belongs to another company',
    maxLength: REASON_CHARACTERS_MAX,
    layout: 'paragraph',
  })
  reason: string;
}
