import { describe, expect, it } from 'vitest';
import { buildCreditWarnings } from './credit-warnings.js';

const NOW = new Date('2026-11-21T08:00:00Z');
const far = { remaining: 1_000, expiresAt: new Date('2027-11-21T16:00:00Z') };

function listCodes(balance: number, usedLastSevenDays: number, lots = [far]): string[] {
  return buildCreditWarnings({ balance, sandboxOnly: 0, usedLastSevenDays, lots }, NOW).map(({ code }) => code);
}

describe('buildCreditWarnings', () => {
  it.each([
    [0, 0, ['none_left']],
    [49, 0, ['little_left']],
    [50, 0, []],
    [50, 50, []],
    [50, 51, ['little_left']],
    [10_000, 10_001, ['little_left']],
  ])('with %i left and %i used in seven days returns %j', (balance, used, codes) => {
    expect(listCodes(balance, used)).toEqual(codes);
  });

  it('warns only about production if all credits are for the sandbox', () => {
    const position = { balance: 200, sandboxOnly: 200, usedLastSevenDays: 0, lots: [] };
    expect(buildCreditWarnings(position, NOW)).toEqual([
      expect.objectContaining({
        code: 'none_left',
        message: expect.stringMatching(/production.*sandbox has 200 credits/),
      }),
    ]);
  });

  it('warns about each lot that expires within thirty days', () => {
    const soon = { remaining: 1, expiresAt: new Date('2026-12-20T16:00:00Z') };
    const later = { remaining: 5, expiresAt: new Date('2026-12-21T16:00:00Z') };
    const position = { balance: 1_006, sandboxOnly: 0, usedLastSevenDays: 0, lots: [soon, later, far] };
    const warnings = buildCreditWarnings(position, NOW);
    expect(warnings.map(({ message }) => message)).toEqual([
      '1 credit can be spent through 2026-12-20 and is lost after it',
    ]);
  });
});
