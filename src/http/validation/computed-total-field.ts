import { applyDecorators } from '@nestjs/common';
import { AMOUNT_LIMIT } from '../../common/decimal.js';
import { GROUPED_LIMIT } from './amount-limits.js';
import { type FieldOptions, check, documented, isGiven, numberMessage, onlyWhenPresent, toNumber } from './fields.js';
import { unquotedHint } from './hints.js';

/** Declares a total that the service computes. A total sent by the client is only compared with it. */
export function ComputedTotalField(options: FieldOptions): PropertyDecorator {
  const isWithin = (value: unknown): boolean => Math.abs(toNumber(value)) < AMOUNT_LIMIT;
  const leaveOut = 'leave it out to have it computed';
  const none = { unit: 'MYR', hintFor: () => undefined, ifNone: leaveOut } as const;
  const compared = 'Computed; a value that is sent must equal it to the sen.';
  const description = `${options.description} ${compared} Any number of decimals, below ${GROUPED_LIMIT}.`;
  const bounds = { maximum: AMOUNT_LIMIT, exclusiveMaximum: true, minimum: -AMOUNT_LIMIT, exclusiveMinimum: true };
  return applyDecorators(
    onlyWhenPresent(isGiven),
    check(
      'type',
      (value) => typeof value === 'number',
      numberMessage,
      (value) => unquotedHint(value, none),
    ),
    check('range', isWithin, `must be below ${GROUPED_LIMIT} in absolute value`, leaveOut),
    documented({ ...options, description, required: false }, { type: Number, ...bounds }),
  );
}
