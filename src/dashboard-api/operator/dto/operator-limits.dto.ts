import { ApiProperty } from '@nestjs/swagger';
import { PER_MINUTE_MAX } from '../../../config/rate-limit-settings.js';
import { WholeNumberField } from '../../../validation/fields.js';
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
