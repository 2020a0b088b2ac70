import { describe, expect, it } from 'vitest';
import { lostBatches } from '../lost.js';
import { hasNoSimulator, readStatus } from '../suite.js';

describe.skipIf(hasNoSimulator)('lost authority response, where the simulator responds', () => {
  it.each(['arrived', 'notArrived'] as const)('sets the document to in_doubt if it has %s', async (name) => {
    const { terminal, documents } = await readStatus((await lostBatches())[name]);
    expect(terminal).toBe(false);
    expect(documents[0]).toMatchObject({ waiting: { code: 'in_doubt' }, errors: [] });
  });
});
