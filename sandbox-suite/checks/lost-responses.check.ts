import { describe, expect, it } from 'vitest';
import { lostBatches } from '../lost.js';
import { hasNoSimulator, readStatus } from '../suite.js';

describe.skipIf(hasNoSimulator)('document with a lost authority response (simulator only)', () => {
  it.each(['arrived', 'notArrived'] as const)('is shown as in_doubt: %s', async (name) => {
    const { terminal, documents } = await readStatus((await lostBatches())[name]);
    expect(terminal).toBe(false);
    expect(documents[0]).toMatchObject({ waiting: { code: 'in_doubt' }, errors: [] });
  });
});
