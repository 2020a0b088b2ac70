import { describe, expect, it } from 'vitest';
import { NewerPayloadError, PAYLOAD_VERSION, readPayload } from './stored-payload.js';
import { computeTotals } from './totals.js';

const UPCASTS = [
  (payload: unknown) => ({ ...(payload as object), second: true }),
  (payload: unknown) => ({ ...(payload as object), third: Object.hasOwn(payload as object, 'second') }),
];

describe('readPayload', () => {
  it('gives a payload of today as it is', () => {
    const payload = { referenceId: 'INV-1' };
    expect(readPayload(payload, PAYLOAD_VERSION)).toBe(payload);
  });

  it('takes an older payload through every step from its own version on, in order', () => {
    expect(readPayload({}, 1, UPCASTS)).toEqual({ second: true, third: true });
    expect(readPayload({}, 2, UPCASTS)).toEqual({ third: false });
    expect(readPayload({}, 3, UPCASTS)).toEqual({});
  });

  it('charges the tax of a line of type E that was accepted as version 1, as its totals were answered', () => {
    const line = { quantity: 1, unitPrice: 100, lineTotal: 100, taxAmount: 10, taxType: 'E' };
    const payload = { lineItems: [line], totalDiscountAmount: 0, totalRoundingAmount: 0 };
    const read = readPayload(payload, 1);
    expect(read.lineItems).toEqual([line]);
    expect(computeTotals(read)).toMatchObject({
      totalTaxAmount: 1_000,
      totalExemptedTax: 0,
      totalPayableAmount: 11_000,
    });
  });

  it.each([[null], [{}], [{ lineItems: 'none' }], [[]]])(
    'gives %j of version 1 as it is, for its reader to refuse',
    (spoilt) => {
      expect(readPayload(spoilt, 1)).toEqual(spoilt);
    },
  );

  it('refuses a payload of a later build', () => {
    expect(() => readPayload({}, PAYLOAD_VERSION + 1)).toThrow(NewerPayloadError);
    expect(() => readPayload({}, 4, UPCASTS)).toThrow('payload version 4');
  });
});
