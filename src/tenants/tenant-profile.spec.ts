import { describe, expect, it } from 'vitest';
import type { ProfileOptions } from './profile-options.js';
import { applyProfileOptions, EMPTY_PROFILE, type TenantProfile } from './tenant-profile.js';

function profileOf(options: ProfileOptions, current: TenantProfile = EMPTY_PROFILE): TenantProfile {
  const reading = applyProfileOptions(current, { name: 'Kedai', ...options });
  if ('problems' in reading) throw new Error(reading.problems.join('; '));
  return reading.profile;
}

function problemsOf(options: ProfileOptions, current: TenantProfile = EMPTY_PROFILE): readonly string[] {
  const reading = applyProfileOptions(current, { name: 'Kedai', ...options });
  return 'problems' in reading ? reading.problems : [];
}

describe('a profile', () => {
  it('needs a name and nothing else', () => {
    expect(profileOf({})).toEqual({ ...EMPTY_PROFILE, name: 'Kedai' });
    expect(problemsOf({ name: ' ' })).toEqual(['--name must be given, with 1 to 300 characters']);
  });

  it.each<[ProfileOptions, Partial<TenantProfile>]>([
    [{ tin: ' c 1234567890\u200B' }, { tin: 'C1234567890' }],
    [
      { idType: 'nric', idValue: '850312-12-5678' },
      { idType: 'NRIC', idValue: '850312125678' },
    ],
    [{ state: 'Kuala Lumpur' }, { stateCode: '14' }],
    [{ state: 'penang' }, { stateCode: '07' }],
    [
      { country: 'sgp', state: 'not_applicable' },
      { country: 'SGP', stateCode: '17' },
    ],
    [{ phone: '+60 3-1234 5678' }, { phone: '+60312345678' }],
    [{ defaultTaxType: 'e' }, { defaultTaxType: 'E' }],
    [{ sst: ' W10-1808-32000001 ' }, { sstNumber: 'W10-1808-32000001' }],
  ])('takes %j as people write it', (options, expected) => {
    expect(profileOf(options)).toMatchObject(expected);
  });

  it.each<[ProfileOptions, string]>([
    [{ name: 'x'.repeat(301) }, '--name'],
    [{ tin: '123' }, '--tin'],
    [{ tin: 'EI00000000010' }, '--tin'],
    [{ idType: 'BRN' }, '--id-type and --id-value belong together'],
    [{ idValue: '201901234567' }, '--id-type and --id-value belong together'],
    [{ idType: 'TIN', idValue: '1' }, '--id-type must be one of BRN, NRIC, PASSPORT, ARMY'],
    [{ idType: 'NRIC', idValue: '123' }, '--id-value'],
    [{ idType: 'PASSPORT', idValue: 'A123456789012' }, '--id-value'],
    [{ msic: '99999' }, '--msic'],
    [{ activity: 'x'.repeat(301) }, '--activity'],
    [{ addressLine1: 'x'.repeat(151) }, '--address-line1'],
    [{ addressLine2: 'x'.repeat(151) }, '--address-line2'],
    [{ city: 'x'.repeat(51) }, '--city'],
    [{ city: 'Kuala\nLumpur' }, '--city must not hold control characters'],
    [{ postcode: '5048' }, '--postcode'],
    [{ state: 'atlantis' }, '--state must be one of johor, kedah'],
    [{ state: 'not_applicable' }, '--state'],
    [{ country: 'SGP', state: 'johor' }, '--state'],
    [{ country: 'XXX' }, '--country'],
    [{ phone: '0312345678' }, '--phone'],
    [{ email: 'kedai' }, '--email'],
    [{ sst: 'x'.repeat(36) }, '--sst'],
    [{ ttx: 'x'.repeat(18) }, '--ttx'],
    [{ defaultTaxType: '07' }, '--default-tax-type'],
    [{ defaultClassification: '999' }, '--default-classification'],
  ])('refuses %j with one problem that names the option', (options, problem) => {
    expect(problemsOf(options)).toEqual([expect.stringContaining(problem)]);
  });

  it('names every problem at once', () => {
    expect(problemsOf({ tin: 'x', postcode: 'x', phone: 'x' })).toHaveLength(3);
  });
});

describe('a change of a profile', () => {
  const current = profileOf({ city: 'Ipoh', state: 'perak', postcode: '30000', email: 'a@b.example' });

  it('keeps what is not given, and clears what is given empty', () => {
    expect(profileOf({ city: 'Taiping', email: '' }, current)).toEqual({ ...current, city: 'Taiping', email: null });
  });

  it('is checked together with what it keeps', () => {
    expect(problemsOf({ country: 'SGP' }, current)).toEqual([expect.stringContaining('--state')]);
    expect(problemsOf({ name: '' }, current)).toHaveLength(1);
  });

  it('brings back the default of a tax type that is cleared', () => {
    expect(profileOf({ defaultTaxType: '' }, profileOf({ defaultTaxType: '02' })).defaultTaxType).toBe('01');
  });
});
