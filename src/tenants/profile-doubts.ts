import { buildTinDoubtHint } from '../documents/identity-hints.js';
import { hasBirthDate, hasUsualTinShape, isEarlierBrn, looksLikeBrn, looksLikeNric } from '../documents/identity.js';
import type { ProfileField, TenantProfile } from './tenant-profile.js';

/** A valid value that the authority will probably reject. */
export interface ProfileDoubt {
  readonly field: ProfileField;
  readonly message: string;
  readonly hint: string;
}

interface DoubtRule {
  readonly field: 'tin' | 'idValue';
  /** Default: any id type. */
  readonly idType?: TenantProfile['idType'];
  readonly isDoubtful: (value: string) => boolean;
  readonly message: string;
  readonly hint: (value: string) => string;
}

const DOUBTS: readonly DoubtRule[] = [
  {
    field: 'tin',
    isDoubtful: (tin) => !hasUsualTinShape(tin),
    message: "The TIN does not have the form of the authority's TINs; the authority will probably refuse it",
    hint: buildTinDoubtHint,
  },
  {
    field: 'idValue',
    idType: 'BRN',
    isDoubtful: looksLikeNric,
    message: 'The BRN looks like the NRIC of a person and not like the number of a business',
    hint: () => 'for a person choose NRIC as the kind of id',
  },
  {
    field: 'idValue',
    idType: 'BRN',
    isDoubtful: isEarlierBrn,
    message: 'The BRN is in the format of SSM before 2019; the authority will probably refuse it',
    hint: () => 'send the 12-digit number of SSM',
  },
  {
    field: 'idValue',
    idType: 'NRIC',
    isDoubtful: (nric) => !hasBirthDate(nric),
    message: 'The NRIC does not begin with a date of birth (YYMMDD), as every NRIC does',
    hint: (nric) =>
      looksLikeBrn(nric) ? 'for a company choose BRN as the kind of id' : 'compare it with the identity card',
  },
];

export function findProfileDoubts(profile: TenantProfile): ProfileDoubt[] {
  return DOUBTS.flatMap(({ field, idType = profile.idType, isDoubtful, message, hint }) => {
    const value = profile[field];
    if (value === null || idType !== profile.idType || !isDoubtful(value)) return [];
    return [{ field, message, hint: hint(value) }];
  });
}
