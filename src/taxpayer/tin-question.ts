import { ValidationError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';
import {
  GENERAL_TINS,
  ID_TYPES,
  type IdType,
  isBrn,
  isTinShape,
  normaliseIdValue,
  normaliseTin,
  NRIC_PLACEHOLDER,
  saysNone,
} from '../documents/identity.js';
import type { TaxpayerCheckReason } from './dto/taxpayer-check.dto.js';

export interface TaxpayerId {
  readonly idType: IdType;
  readonly idValue: string;
}

export interface TinCheckQuery {
  readonly tin: string;
  readonly id: TaxpayerId | null;
}

/** A repeated parameter is an array. */
export type TinQuery = Readonly<Record<string, unknown>>;

const OTHER_SPELLINGS = { idType: 'id_type', idValue: 'id_value' } as const;
type ParameterName = keyof typeof OTHER_SPELLINGS;

const TYPE_AND_VALUE = (idType: IdType): string => `idType=${idType} together with idValue`;

export const OTHER_TIN_QUERY_NAMES = {
  accepted: { [OTHER_SPELLINGS.idType]: 'idType', [OTHER_SPELLINGS.idValue]: 'idValue' },
  mistaken: Object.fromEntries(ID_TYPES.map((idType) => [idType, TYPE_AND_VALUE(idType)])),
};

// Longer than the authority's ids.
const ID_VALUE_CHARACTERS_MAX = 50;
// Limit before normalisation, which takes more than linear time.
const ID_TEXT_CHARACTERS_MAX = 200;
const ID_VALUE_SHAPE = /^[\p{L}\p{N}()./_]+$/u;

/** @throws ValidationError with every malformed parameter (docs/rules.md#tin-check) */
export function readTinCheckQuery(tin: string, query: TinQuery): TinCheckQuery {
  const problems: Problem[] = [];
  const idType = readIdType(findSent(query, 'idType', problems), problems);
  const idValue = readIdValue(idType ?? 'BRN', findSent(query, 'idValue', problems), problems);
  if (idType === null && idValue !== null) problems.push(buildMissing('idType', 'idValue'));
  if (idValue === null && idType !== null) problems.push(buildMissing('idValue', 'idType'));
  if (problems.length > 0) throw new ValidationError(problems);
  return { tin: normaliseTin(tin), id: idType === null || idValue === null ? null : { idType, idValue } };
}

/** Returns the verdict for a malformed or general TIN, which needs no authority call (docs/rules.md#tin-check). */
export function findVerdictWithoutCall(tin: string): { valid: boolean; reason: TaxpayerCheckReason } | null {
  if (GENERAL_TINS.includes(tin)) return { valid: true, reason: 'general' };
  return isTinShape(tin) ? null : { valid: false, reason: 'malformed' };
}

interface Sent {
  readonly name: string;
  readonly value: unknown;
}

function findSent(query: TinQuery, name: ParameterName, problems: Problem[]): Sent {
  const other = OTHER_SPELLINGS[name];
  const [value, otherValue] = [query[name], query[other]];
  if (otherValue === undefined) return { name, value };
  if (value !== undefined && value !== otherValue) {
    const hint = 'send one of the two spellings';
    problems.push({ pointer: `/${other}`, rule: `${other}_conflict`, message: `must equal ${name}`, hint });
  }
  return { name: other, value: otherValue };
}

// Returns a placeholder for a malformed value, so that the value is not reported as missing too.
function readIdType({ name, value }: Sent, problems: Problem[]): IdType | null {
  if (value === undefined) return null;
  const found = typeof value === 'string' ? ID_TYPES.find((type) => type === value.trim().toUpperCase()) : undefined;
  if (found !== undefined) return found;
  problems.push({
    pointer: `/${name}`,
    rule: 'id_type_unknown',
    message: `must be one of ${ID_TYPES.join(', ')}`,
    hint: 'send BRN for a company, NRIC for a Malaysian individual',
  });
  return ID_TYPES[0];
}

function readIdValue(idType: IdType, { name, value }: Sent, problems: Problem[]): string | null {
  if (value === undefined) return null;
  const isNormalised = typeof value === 'string' && value.length <= ID_TEXT_CHARACTERS_MAX;
  const idValue = isNormalised ? normaliseIdValue(idType, value) : '';
  if (idValue !== '' && idValue !== NRIC_PLACEHOLDER && saysNone(idValue)) {
    problems.push({
      pointer: `/${name}`,
      rule: 'id_value_not_applicable',
      message: 'must be the number of the taxpayer, not NA or another text for no number',
      hint: 'send the number that is registered with the TIN, or leave out both idType and idValue to use the id of your latest document with that TIN',
    });
    return idValue;
  }
  if (idType === 'BRN' ? isBrn(idValue) : isOtherId(idValue)) return idValue;
  const message =
    'must be one id number: 1 to 20 printable characters for BRN, ' +
    `else 1 to ${ID_VALUE_CHARACTERS_MAX} letters and digits`;
  const hint = 'send the number alone, once, as it stands on the registration, identity card or passport';
  problems.push({ pointer: `/${name}`, rule: 'id_value_format', message, hint });
  return idValue;
}

function isOtherId(idValue: string): boolean {
  return idValue.length <= ID_VALUE_CHARACTERS_MAX && ID_VALUE_SHAPE.test(idValue);
}

function buildMissing(name: string, other: string): Problem {
  const hint = 'send both idType and idValue, or neither to use the id of your latest document with that TIN';
  return { pointer: `/${name}`, rule: 'id_incomplete', message: `is required together with ${other}`, hint };
}
