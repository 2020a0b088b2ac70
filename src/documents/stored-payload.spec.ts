import { describe, expect, it } from 'vitest';
import { NewerPayloadError, PAYLOAD_VERSION, readPayload } from './stored-payload.js';

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

  it('refuses a payload of a later build', () => {
    expect(() => readPayload({}, PAYLOAD_VERSION + 1)).toThrow(NewerPayloadError);
    expect(() => readPayload({}, 4, UPCASTS)).toThrow('payload version 4');
  });
});
