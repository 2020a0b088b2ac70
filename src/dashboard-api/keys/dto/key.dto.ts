import { ApiProperty } from '@nestjs/swagger';
import { KEY_NAME_CHARACTERS_MAX } from '../../../accounts/api-keys/keys.js';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { ChoiceField, TextField, WholeNumberField } from '../../../http/validation/fields.js';
import { INSTANT, INSTANT_EXAMPLE } from '../../../http/validation/instant.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';
import { PageOf } from '../../cursor.js';
import { ActorDto, ActorField } from '../../shown-actor.js';
import type { KeyActivity } from '../../../accounts/api-keys/key-activity.js';

/**
 * `Active`; `Ending` when another key took its place and it still works; `Expired` and `Revoked` when it no longer
 * works.
 */
export const KEY_STATES = ['Active', 'Ending', 'Expired', 'Revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

const OVERLAP_HOURS_MAX = 30 * 24;

function ExpiresAtField(): PropertyDecorator {
  return TextField({
    description: 'When the key ends, an instant with its zone; never, when left out.',
    example: INSTANT_EXAMPLE,
    required: false,
    maxLength: 40,
    format: { pattern: INSTANT, message: 'must be an instant with its zone' },
  });
}

export class CreateKeyDto {
  @TextField({ description: 'What the key is for.', example: 'ERP', maxLength: KEY_NAME_CHARACTERS_MAX, isName: true })
  name: string;

  @ChoiceField({ description: 'The environment that it opens, and no other.', choices: ENVIRONMENTS })
  environment: Environment;

  @ExpiresAtField()
  expiresAt?: string;
}

export class RotateKeyDto {
  @WholeNumberField({
    description: 'For how many hours the old key keeps working; 0 ends it immediately.',
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

  @ApiProperty({ type: String, description: 'What it is for.' })
  name: string;

  @ChosenField(ENVIRONMENTS, { description: 'The environment that it opens.' })
  environment: Environment;

  @ApiProperty({ type: String, example: 'eisk_test_', description: 'What its text begins with.' })
  prefix: string;

  @ApiProperty({ type: String, description: 'What its text ends with.' })
  lastFour: string;

  @ChosenField(KEY_STATES, {
    description:
      '`Active`; `Ending` when another key took its place and it still works; `Expired` and `Revoked` when it no longer works.',
  })
  state: KeyState;

  @InstantField('When it was made.')
  createdAt: Date;

  @ActorField("Who made it and was shown its text; null for an operator's command.")
  createdBy: ActorDto | null;

  @InstantField('When a call last carried it, to the minute; null when none did.', { nullable: true })
  lastUsedAt: Date | null;

  @InstantField('When it ends; null when never.', { nullable: true })
  expiresAt: Date | null;

  @InstantField('When it was revoked.', { nullable: true })
  revokedAt: Date | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'The key that took its place.' })
  replacedBy: string | null;
}

export class KeyPageDto extends PageOf(KeyDto, 'The newest first.') {}

export class KeyActivityDto implements KeyActivity {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Accepted submits that came with it.' })
  submissionCount: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'The documents of these submits.' })
  documentCount: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Accepted cancels that came with it.' })
  cancellationCount: number;

  @ApiProperty({ type: Boolean, description: 'Whether only the latest were counted, so that there may be more.' })
  isCapped: boolean;

  @InstantField('When the last submit was accepted; null when none was.', { nullable: true })
  lastSubmissionAt: Date | null;
}

export class MadeKeyDto {
  @ApiProperty({ type: String, format: 'uuid' })
  keyId: string;

  @ApiProperty({ type: String, description: 'The text of the key. It is shown this once and kept nowhere.' })
  apiKey: string;

  @ChosenField(ENVIRONMENTS, { description: 'The environment that it opens.' })
  environment: Environment;

  @InstantField('When it ends; null when never.', { nullable: true })
  expiresAt: Date | null;
}

export class RotatedKeyDto extends MadeKeyDto {
  @InstantField('When the old key ends.')
  oldEndsAt: Date;
}
