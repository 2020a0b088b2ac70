import { createHash } from 'node:crypto';
import { type SimulatorResponse, emptyResponse, jsonResponse } from './responses.js';
import { apiError, notFound, notPermitted } from './errors.js';
import { ParameterRefusal, readChoice } from './query-parameters.js';
import type { AuthorizedRequest } from './requests.js';
import { isBrn, isPartyTin, legalIdSchemes } from './ubl.js';
import type { World } from './world.js';

const idValuePattern = /^[A-Za-z0-9-]{1,20}$/;
const guidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const individual = '1';
const nonIndividual = '2';

interface TaxpayerId {
  idType: string;
  idValue: string;
}

/** Criteria of a TIN search. Unused criteria are empty. */
interface TinQuery extends TaxpayerId {
  name: string;
  /** `1` for individuals, `2` for all other taxpayers. */
  fileType: string;
}

export function validateTin(world: World, { parameters, query, session }: AuthorizedRequest): SimulatorResponse {
  if (!world.isAppointedBy(session.tin)) return notPermitted();
  if (!isPartyTin(parameters.tin ?? '')) throw new ParameterRefusal('tin', 'The TIN is not well-formed');
  const { idValue } = readId(query);
  return refusalByEnding(idValue, 'idValue', emptyResponse(404)) ?? emptyResponse(200);
}

export function searchTin(world: World, { query, session }: AuthorizedRequest): SimulatorResponse {
  if (!world.isAppointedBy(session.tin)) return notPermitted();
  const asked = readTinQuery(query);
  return refuseSearch(asked) ?? jsonResponse(200, { tin: foundTin(asked) });
}

function refuseSearch({ name, idType, idValue, fileType }: TinQuery): SimulatorResponse | undefined {
  const unknown = notFound('TIN');
  if (isPersonId(idType) && fileType === nonIndividual) return unknown;
  const refusal = refusalByEnding(idValue, 'idValue', unknown) ?? refusalByEnding(name, 'taxpayerName', unknown);
  if (refusal) return refusal;
  return [idValue, name].some((text) => text.endsWith('300')) ? inconclusive() : undefined;
}

function foundTin({ name, idType, idValue, fileType }: TinQuery): string {
  // A sole proprietor is an individual with a BRN.
  const isIndividual = isPersonId(idType) || fileType === individual;
  return tinFor(idType ? `${idType} ${idValue}` : name.toLowerCase(), isIndividual);
}

function isPersonId(idType: string): boolean {
  return !['', 'BRN'].includes(idType);
}

/** Returns the taxpayer of a QR code. The parameter is the decoded text of the code. */
export function qrCodeInfo(world: World, { parameters, session }: AuthorizedRequest): SimulatorResponse {
  if (!world.isAppointedBy(session.tin)) return notPermitted();
  const text = (parameters.text ?? '').toLowerCase();
  const unknown = apiError(404, { code: 'NotFound', message: 'QR Code Not Found', target: 'qrCodeText' });
  if (!guidPattern.test(text)) return unknown;
  return refusalByEnding(text, 'qrCodeText', unknown) ?? jsonResponse(200, findTaxpayerByCode(text));
}

function readTinQuery(query: URLSearchParams): TinQuery {
  const name = (query.get('taxpayerName') ?? '').trim();
  const hasId = ['idType', 'idValue'].some((parameter) => query.get(parameter));
  const fileType = readChoice(query, 'fileType', [individual, nonIndividual]) ?? '';
  if (!hasId && name === '') {
    throw new ParameterRefusal('taxpayerName', 'taxpayerName, or idType with idValue, is mandatory');
  }
  // The authority's page does not list this combination.
  if (!hasId && fileType) throw new ParameterRefusal('fileType', 'fileType needs idType and idValue');
  return { name, fileType, ...(hasId ? readId(query) : { idType: '', idValue: '' }) };
}

function readId(query: URLSearchParams): TaxpayerId {
  const idType = readChoice(query, 'idType', legalIdSchemes);
  if (!idType) throw new ParameterRefusal('idType', `idType must be one of ${legalIdSchemes.join(', ')}`);
  const idValue = query.get('idValue') ?? '';
  const isWellFormed = idType === 'BRN' ? isBrn(idValue) : idValuePattern.test(idValue);
  if (!isWellFormed) throw new ParameterRefusal('idValue', 'The idValue is not well-formed');
  return { idType, idValue };
}

/**
 * Returns the error response that the ending of the value selects, or undefined for other endings
 * (docs/simulator.md#reserved-document-numbers). The simulator has no taxpayer register.
 */
function refusalByEnding(text: string, target: string, unknown: SimulatorResponse): SimulatorResponse | undefined {
  if (text.endsWith('400')) throw new ParameterRefusal(target, `The ${target} is not well-formed`);
  if (text.endsWith('404')) return unknown;
  if (text.endsWith('500')) return apiError(500, { code: 'InternalServerError', message: 'The register failed' });
  return undefined;
}

/** Uses the authority's text, including its spelling mistake. */
function inconclusive(): SimulatorResponse {
  const message =
    'Search criteria in not conclusive and more than one TIN can be found to match the search criteria provided, ' +
    'please revise the search criteria.';
  return apiError(400, { code: 'BadRequest', message });
}

/** Derives a fictitious taxpayer from the code. A TIN search by the taxpayer's id number returns the same TIN. */
function findTaxpayerByCode(text: string) {
  // The final 1 avoids the reserved endings.
  const idNumber = `201901${digitsFor(text).slice(0, 5)}1`;
  return {
    tin: tinFor(`BRN ${idNumber}`, false),
    name: `Kedai Contoh ${idNumber} Sdn Bhd`,
    idType: 'BRN',
    idNumber,
    sst: 'NA',
    email: 'akaun@kedai.example',
    contactNumber: '+60312345678',
    ttx: 'NA',
    businessActivityDescriptionBM: 'Jualan borong perkakasan komputer, perisian dan peranti',
    businessActivityDescriptionEN: 'Wholesale of computer hardware, software and peripherals',
    msic: '46510',
    addressLine0: 'Lot 66',
    addressLine1: 'Bangunan Merdeka',
    addressLine2: '',
    postalZone: '50480',
    city: 'Kuala Lumpur',
    state: 'Wilayah Persekutuan Kuala Lumpur',
    country: 'MYS',
    generatedTimestamp: '2026-01-02T14:52:50',
  };
}

function tinFor(text: string, isIndividual: boolean): string {
  return isIndividual ? `IG${digitsFor(text)}` : `C${digitsFor(text)}0`;
}

/** Derives nine digits from the text. The first one is not 0. */
function digitsFor(text: string): string {
  return String(100_000_000 + (createHash('sha256').update(text).digest().readUInt32BE() % 900_000_000));
}
