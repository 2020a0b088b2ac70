import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { applyProfileChange, type ProfileChange } from './profile-change.js';
import { EMPTY_PROFILE, PROFILE_FIELDS, type ProfileField, type TenantProfile } from './tenant-profile.js';

function applyToProfile(change: ProfileChange, current: TenantProfile = EMPTY_PROFILE): TenantProfile {
  const reading = applyProfileChange(current, { name: 'Kedai', ...change });
  if ('problems' in reading) throw new Error(JSON.stringify(reading.problems));
  return reading.profile;
}

/** Formats each problem as FIELD MESSAGE (HINT). */
function findProblems(change: ProfileChange, current: TenantProfile = EMPTY_PROFILE): readonly string[] {
  const reading = applyProfileChange(current, { name: 'Kedai', ...change });
  if (!('problems' in reading)) return [];
  return reading.problems.map(({ field, message, hint }) => `${field} ${message} (${hint ?? ''})`);
}

describe('applyProfileChange', () => {
  it.each(PROFILE_FIELDS)('rejects a too long %s without normalising it', (field) => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    onTestFinished(() => normalize.mockRestore());
    const problems = findProblems({ [field]: 'a'.repeat(321) }, { ...EMPTY_PROFILE, name: '' });
    expect(problems).toContainEqual(expect.stringMatching(`^${field} must have at most \\d+ characters`));
    expect(normalize.mock.contexts.filter((text) => String(text).length > 300)).toEqual([]);
  });

  it('requires only a name', () => {
    expect(applyToProfile({})).toEqual({ ...EMPTY_PROFILE, name: 'Kedai' });
    expect(findProblems({ name: ' ' })).toEqual(['name must be given, with 1 to 300 characters ()']);
  });

  it.each<[ProfileChange, Partial<TenantProfile>]>([
    [{ tin: ' c 1234567890\u200B' }, { tin: 'C1234567890' }],
    [
      { idType: 'nric', idValue: '850312-12-5678' },
      { idType: 'NRIC', idValue: '850312125678' },
    ],
    [
      { idType: 'BRN', idValue: ' PPM-001-10-12345678 ' },
      { idType: 'BRN', idValue: 'PPM-001-10-12345678' },
    ],
    [
      { idType: 'BRN', idValue: 'Köln 123/2001.A' },
      { idType: 'BRN', idValue: 'Köln 123/2001.A' },
    ],
    [{ stateCode: 'Kuala Lumpur' }, { stateCode: '14' }],
    [{ stateCode: 'penang' }, { stateCode: '07' }],
    [
      { country: 'THA', stateCode: 'Songkhla' },
      { country: 'THA', stateCode: 'Songkhla' },
    ],
    [{ phone: '+683 4002' }, { phone: '+6834002' }],
    [{ stateCode: '07' }, { stateCode: '07' }],
    [
      { country: 'sgp', stateCode: 'not_applicable' },
      { country: 'SGP', stateCode: '17' },
    ],
    [
      { country: 'SGP', stateCode: 'NA' },
      { country: 'SGP', stateCode: '17' },
    ],
    [{ phone: '+60 3-1234 5678' }, { phone: '+60312345678' }],
    [{ sstNumber: 'W10-1808-32000001;W10-1808-32000002' }, { sstNumber: 'W10-1808-32000001;W10-1808-32000002' }],
    ...['NA', '-', 'N/A', 'nil', '\uFF2E\uFF0F\uFF21', '\u2013'].map(
      (none): [ProfileChange, Partial<TenantProfile>] => [
        { sstNumber: none, ttxNumber: none },
        { sstNumber: null, ttxNumber: null },
      ],
    ),
    [
      { idType: 'BRN', idValue: '\uFF12\uFF10\uFF11\uFF1901234567' },
      { idType: 'BRN', idValue: '201901234567' },
    ],
    [{ sstNumber: ' W10-1808-32000001 ' }, { sstNumber: 'W10-1808-32000001' }],
  ])('normalises %j', (options, expected) => {
    expect(applyToProfile(options)).toMatchObject(expected);
  });

  it.each<[ProfileChange, ProfileField, string]>([
    [{ name: 'x'.repeat(301) }, 'name', 'at most 300 characters'],
    [{ tin: '123' }, 'tin', '(begin with the letters of the TIN'],
    [{ tin: 'C01234567890' }, 'tin', '(without zeros after the letters: C1234567890)'],
    [{ tin: 'C-1234567890' }, 'tin', '(use C1234567890)'],
    [{ tin: 'C-1234567891' }, 'tin', '(compare it with the registration: the TIN of an organisation ends in 0)'],
    [{ tin: 'C1234567890123' }, 'tin', '(such as C1234567890'],
    [{ tin: 'IG1234567890123' }, 'tin', 'must be a TIN of the tax authority (LHDN) (such as C1234567890'],
    [{ tin: 'SG12345678901' }, 'tin', '(individuals have IG now: IG12345678901)'],
    [{ tin: 'NA' }, 'tin', '(send the TIN of your own registration, such as C1234567890'],
    [{ tin: 'EI00000000010' }, 'tin', "must be the organisation's own"],
    [{ idType: 'BRN' }, 'idValue', 'is required, since the type of the id is sent'],
    [{ idValue: '201901234567' }, 'idType', 'is required, since the number of the id is sent'],
    [{ idType: 'TIN', idValue: '1' }, 'idType', 'must be one of BRN, NRIC, PASSPORT, ARMY'],
    [{ idType: 'NRIC', idValue: '123' }, 'idValue', '12 digits for NRIC'],
    [{ idType: 'PASSPORT', idValue: 'A123456789012' }, 'idValue', 'else at most 12 letters and digits'],
    [{ idType: 'BRN', idValue: 'x'.repeat(21) }, 'idValue', '(write it as registered'],
    ...['-', 'NA', 'N/A', '.', '\uFF2E\uFF21', '\u2014'].map((idValue): [ProfileChange, ProfileField, string] => [
      { idType: 'BRN', idValue },
      'idValue',
      "must be the organisation's own number, not NA or another text for no number (write it as registered",
    ]),
    [{ idType: 'PASSPORT', idValue: 'nil' }, 'idValue', "must be the organisation's own number"],
    [{ idType: 'BRN', idValue: '2019\u200B01234567' }, 'idValue', '(remove character 5, U+200B)'],
    [{ tin: 'IG12345678901', idType: 'BRN', idValue: 'Köln 1' }, 'idValue', 'ASCII characters for a TIN that begins'],
    [{ msic: '99999' }, 'msic', 'leave it out when there is none'],
    [{ msic: '4651' }, 'msic', 'did you mean 46510 (Wholesale of computer hardware, software and peripherals)'],
    [{ activity: 'x'.repeat(301) }, 'activity', 'shorten it by 1 character'],
    [{ addressLine1: 'x'.repeat(151) }, 'addressLine1', 'at most 150 characters'],
    [{ addressLine2: 'x'.repeat(151) }, 'addressLine2', 'at most 150 characters'],
    [{ city: 'x'.repeat(51) }, 'city', 'at most 50 characters'],
    [{ city: 'Kuala\nLumpur' }, 'city', 'remove character 6, U+000A'],
    [{ postcode: '5048' }, 'postcode', 'use 50480, not 5048'],
    [{ postcode: '6000', stateCode: 'kedah' }, 'postcode', 'use 06000, not 6000'],
    [{ stateCode: 'atlantis' }, 'stateCode', 'must be one of johor, kedah'],
    [{ stateCode: 'selangr' }, 'stateCode', 'did you mean selangor?'],
    [{ stateCode: 'not_applicable' }, 'stateCode', 'a Malaysian state when the country is MYS'],
    [{ country: 'SGP', stateCode: 'johor' }, 'stateCode', 'elsewhere the name of the state there'],
    [{ country: 'SGP', stateCode: '00' }, 'stateCode', 'elsewhere the name of the state there'],
    [{ country: 'SGP', stateCode: 'x'.repeat(51) }, 'stateCode', 'elsewhere the name of the state there'],
    [{ country: 'XXX' }, 'country', 'ISO 3166-1 alpha-3'],
    [{ country: 'Singapore' }, 'country', 'did you mean SGP'],
    [{ phone: '0312345678' }, 'phone', 'use +60312345678'],
    [{ email: 'kedai' }, 'email', 'an e-mail address'],
    [{ email: 'kedai+lhdn@contoh.example' }, 'email', 'such as ap@pembeli.example'],
    [{ sstNumber: 'x'.repeat(36) }, 'sstNumber', 'at most 35 characters'],
    [{ ttxNumber: 'x'.repeat(18) }, 'ttxNumber', 'at most 17 characters'],
    [{ sstNumber: 'W10/1808' }, 'sstNumber', 'such as W10-1808-32000001'],
    [{ sstNumber: 'A-1;A-2;A-3' }, 'sstNumber', 'two numbers are separated by a semicolon'],
    [{ ttxNumber: '123.4567' }, 'ttxNumber', 'such as 123-4567-89012345'],
    [{ ttxNumber: 'A-1;A-2' }, 'ttxNumber', 'must be letters, digits and hyphens'],
    [{ defaultTaxType: '07' }, 'defaultTaxType', 'must be one of 01, 02, 03, 04, 05, 06'],
    [{ defaultTaxType: 'e' }, 'defaultTaxType', 'a line that is exempt names the type E itself'],
    [{ defaultClassification: '999' }, 'defaultClassification', 'three digits'],
  ])('rejects %j with one problem of the field %s', (change, field, said) => {
    const problems = findProblems(change);
    expect(problems).toEqual([expect.stringContaining(said)]);
    expect(problems[0].split(' ')[0]).toBe(field);
  });

  it('reports all problems together', () => {
    expect(findProblems({ tin: 'x', postcode: 'x', phone: 'x' })).toHaveLength(3);
  });
});

describe('a change of an existing profile', () => {
  const current = applyToProfile({ city: 'Ipoh', stateCode: 'perak', postcode: '30000', email: 'a@b.example' });

  it('keeps omitted fields and clears empty ones', () => {
    expect(applyToProfile({ city: 'Taiping', email: '' }, current)).toEqual({
      ...current,
      city: 'Taiping',
      email: null,
    });
  });

  it('is checked together with the unchanged fields', () => {
    expect(findProblems({ country: 'SGP' }, current)).toEqual([expect.stringContaining('stateCode')]);
    expect(findProblems({ name: '' }, current)).toHaveLength(1);
  });

  it('removes hyphens from an id whose type becomes NRIC', () => {
    const company = applyToProfile({ idType: 'BRN', idValue: '850312-12-5678' });
    expect(applyToProfile({ idType: 'NRIC' }, company).idValue).toBe('850312125678');
  });

  it('restores the default of a cleared tax type', () => {
    expect(applyToProfile({ defaultTaxType: '' }, applyToProfile({ defaultTaxType: '02' })).defaultTaxType).toBe('01');
  });
});
