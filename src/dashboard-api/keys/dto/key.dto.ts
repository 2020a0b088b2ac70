import { ApiProperty } from '@nestjs/swagger';
import { KEY_NAME_CHARACTERS_MAX } from '../../../accounts/api-keys/keys.js';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { ChoiceField, TextField, WholeNumberField } from '../../../http/validation/fields.js';
import { INSTANT, INSTANT_EXAMPLE } from '../../../http/validation/instant.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';
import { PageOf } from '../../cursor.js';
import { ActorDto, ActorField } from '../../shown-actor.js';
import type { KeyActivity } from '../../../accounts/api-keys/key-activity.js';

/** A key is `Ending` if it has been replaced but has not expired yet. */
export const KEY_STATES = ['Active', 'Ending', 'Expired', 'Revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

const OVERLAP_HOURS_MAX = 30 * 24;

function ExpiresAtField(): PropertyDecorator {
  return TextField({
    description: 'Expiry of the key, a timestamp with a time zone. By default, the key does not expire.',
    example: INSTANT_EXAMPLE,
    required: false,
    maxLength: 40,
    format: { pattern: INSTANT, message: 'must be a timestamp with a time zone' },
  });
}

export class CreateKeyDto {
  @TextField({ description: 'Purpose of the key.', example: 'ERP', maxLength: KEY_NAME_CHARACTERS_MAX, isName: true })
  name: string;

  @ChoiceField({ description: 'Environment of the key.', choices: ENVIRONMENTS })
  environment: Environment;

  @ExpiresAtField()
  expiresAt?: string;
}

export class RotateKeyDto {
  @WholeNumberField({
    description: 'Hours until the old key expires; 0 means immediately.',
    example: 24,
    minimum: 0,
    maximum: OVERLAP_HOURS_MAX,
  })
  overlapHours: number;

  @ExpiresAtField()
  expiresAt?: string;
}

export class KeyDto {
  @ApiProperty({ type: String, format: 'uuid' })
  keyId: string;

  @ApiProperty({ type: String, description: 'Purpose of the key.' })
  name: string;

  @ChosenField(ENVIRONMENTS, { description: 'Environment of the key.' })
  environment: Environment;

  @ApiProperty({ type: String, example: 'eisk_test_', description: 'First characters of the key.' })
  prefix: string;

  @ApiProperty({ type: String, description: 'Last four characters of the key.' })
  lastFour: string;

  @ChosenField(KEY_STATES, {
    description:
      'An `Ending` key was replaced by another key and still works. `Expired` and `Revoked` keys do not work.',
  })
  state: KeyState;

  @InstantField('Creation of the key.')
  createdAt: Date;

  @ActorField('Creator of the key; null if an operator created it.')
  createdBy: ActorDto | null;

  @InstantField('Last request with the key, to the minute; null if none.', { nullable: true })
  lastUsedAt: Date | null;

  @InstantField('Expiry of the key; null if it does not expire.', { nullable: true })
  expiresAt: Date | null;

  @InstantField('Revocation of the key.', { nullable: true })
  revokedAt: Date | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'Id of the replacement.' })
  replacedBy: string | null;
}

export class KeyPageDto extends PageOf(KeyDto, 'Newest first.') {}

export class KeyActivityDto implements KeyActivity {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Accepted submits with the key.' })
  submissionCount: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Documents of these submits.' })
  documentCount: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Accepted cancels with the key.' })
  cancellationCount: number;

  @ApiProperty({ type: Boolean, description: 'Whether older requests were not counted.' })
  isCapped: boolean;

  @InstantField('Acceptance of the last submit; null if none.', { nullable: true })
  lastSubmissionAt: Date | null;
}

export class MadeKeyDto {
  @ApiProperty({ type: String, format: 'uuid' })
  keyId: string;

  @ApiProperty({ type: String, description: 'The key. The service does not store it and cannot show it again.' })
  apiKey: string;

  @ChosenField(ENVIRONMENTS, { description: 'Environment of the key.' })
  environment: Environment;

  @InstantField('Expiry of the key; null if it does not expire.', { nullable: true })
  expiresAt: Date | null;
}

export class RotatedKeyDto extends MadeKeyDto {
  @InstantField('Expiry of the old key.')
  oldEndsAt: Date;
}
