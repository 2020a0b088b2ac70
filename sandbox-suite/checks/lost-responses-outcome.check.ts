import { describe, expect, it } from 'vitest';
import { invoice } from '../documents.js';
import { lostBatches } from '../lost.js';
import { expectRefused, follow, hasNoSimulator, submit } from '../suite.js';

describe.skipIf(hasNoSimulator)('document after a lost authority response (simulator only)', () => {
  it.each(['arrived', 'notArrived'] as const)('becomes Valid: %s', async (name) => {
    const { documents } = await follow((await lostBatches())[name]);
    expect(documents[0]).toMatchObject({ authorityStatus: 'Valid', waiting: null, errors: [] });
    expectRefused(await submit([invoice(documents[0].referenceId)]), 409, 'duplicate_document');
  });
});
