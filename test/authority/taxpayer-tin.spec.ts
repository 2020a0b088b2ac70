import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.js';
import { requestToken } from '../../simulator/testing/test-client.js';
import { applyProfileChange } from '../../src/tenants/profile-change.js';
import { EMPTY_PROFILE } from '../../src/tenants/tenant-profile.js';
import { countRuns } from '../support/random.js';
import '../support/random-properties.js';

const PREFIXES = ['IG', 'C', 'CS', 'D', 'F', 'FA', 'PT', 'TA', 'TC', 'TN', 'TR', 'TP', 'J', 'LE'];

/**
 * TINs around each border of the format: every letter pair, and digits of every length with each first and last digit.
 */
const tins = fc
  .tuple(
    fc.oneof(fc.constantFrom(...PREFIXES, 'EI', 'OG', 'SG', ''), fc.stringMatching(/^[A-Z]{1,3}$/)),
    fc.oneof(
      fc.stringMatching(/^\d{0,14}$/),
      fc.stringMatching(/^[1-9]\d{0,11}0$/),
      fc.constantFrom('00000000000', '00000000010', '00000000040', '00000000050'),
    ),
  )
  .map(([prefix, digits]) => prefix + digits);

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

/** The empty TIN is excluded: a profile reads it as a cleared field, and a header cannot be empty. */
function isAccepted(tin: string): boolean {
  return 'profile' in applyProfileChange(EMPTY_PROFILE, { name: 'Kedai', tin });
}

async function canLogIn(tin: string): Promise<boolean> {
  return (await requestToken(simulator.url, tin)).status === 200;
}

describe("an organisation's own TIN", () => {
  it.each([
    ...PREFIXES.map((prefix) => [`${prefix}1234567890`, true] as const),
    ...['IG1', 'IG123456789012', 'C10', 'C123456789010'].map((tin) => [tin, true] as const),
    ...['IG', 'IG1234567890123', 'C0', 'C0123456780', 'C1234567891', 'C1234567890120'].map(
      (tin) => [tin, false] as const,
    ),
    ...['SG1234567890', 'X1234567890', '1234567890', 'EI00000000010', 'EI00000000030'].map(
      (tin) => [tin, false] as const,
    ),
  ])('%s is accepted by the profile and the simulator: %s', async (tin, expected) => {
    expect([isAccepted(tin), await canLogIn(tin)]).toEqual([expected, expected]);
  });

  it("has the same format in the profile and in the simulator's login", () =>
    fc.assert(
      fc.asyncProperty(
        tins.filter((tin) => tin !== ''),
        async (tin) => {
          expect(await canLogIn(tin)).toBe(isAccepted(tin));
        },
      ),
      { numRuns: countRuns(1_000) },
    ));
});
