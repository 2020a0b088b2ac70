import { expect, it } from 'vitest';
import { findProfileDoubts } from './profile-doubts.js';
import { EMPTY_PROFILE, type TenantProfile } from './tenant-profile.js';

it.each<[Partial<TenantProfile>, string[]]>([
  [{}, []],
  [{ tin: 'C20990051040', idType: 'BRN', idValue: '201901234567' }, []],
  [{ tin: 'C2099005104' }, ['tin compare it with the registration: the TIN of an organisation ends in 0']],
  [{ tin: 'SG12345678901' }, ['tin individuals have IG now: IG12345678901']],
  [{ idType: 'BRN', idValue: '850312125678' }, ['idValue for a person choose NRIC as the kind of id']],
  [{ idType: 'BRN', idValue: '123456-A' }, ['idValue send the 12-digit number of SSM']],
  [{ idType: 'BRN', idValue: 'PPM-001-10-12345678' }, []],
  [{ idType: 'NRIC', idValue: '850312125678' }, []],
  [{ idType: 'NRIC', idValue: '201901234567' }, ['idValue for a company choose BRN as the kind of id']],
  [{ idType: 'NRIC', idValue: '999999999999' }, ['idValue compare it with the identity card']],
  [{ idType: 'PASSPORT', idValue: '850312125678' }, []],
])('findProfileDoubts returns for %j the doubts %j', (profile, expected) => {
  const doubts = findProfileDoubts({ ...EMPTY_PROFILE, ...profile });
  expect(doubts.map(({ field, hint }) => `${field} ${hint}`)).toEqual(expected);
});
