import type { SimulatorResponse } from './responses.js';
import type { StoredDocument } from './documents.js';
import { type Filter, type Selection, listDocuments, readCommonFilters } from './document-list.js';
import { ParameterRefusal, always, readChoice, readSpan } from './query-parameters.js';
import type { AuthorizedRequest } from './requests.js';
import { legalIdSchemes } from './ubl.js';
import type { World } from './world.js';

const windowMs = 31 * 24 * 60 * 60_000;

/** Lists documents that were issued in the last 31 days and match the other filters. */
export function recentDocuments(world: World, request: AuthorizedRequest): SimulatorResponse {
  return listDocuments(world, request, (query) => readRecent(query, world.clock.now()));
}

function readRecent(query: URLSearchParams, now: number): Selection {
  const issued = readSpan(query, 'issueDate') ?? always;
  // The authority spells this parameter with a capital letter.
  const filters = readCommonFilters(query, 'InvoiceDirection');
  filters.push(...readParty(query, 'receiver', 'Sent'));
  // Only validates the issuer parameters, because the list never contains received documents.
  readParty(query, 'issuer', 'Received');
  return {
    submitted: readSpan(query, 'submissionDate') ?? always,
    issued: { from: Math.max(issued.from, now - windowMs), to: issued.to },
    filters,
  };
}

const receiverFields: Record<string, (document: StoredDocument) => string> = {
  Id: ({ buyerId }) => buyerId,
  IdType: ({ buyerIdType }) => buyerIdType,
  Tin: ({ buyerTin }) => buyerTin,
};

/** Reads the filters on the other party. They require a direction, and an id requires an id type. */
function readParty(query: URLSearchParams, party: string, direction: string): Filter[] {
  const given = Object.keys(receiverFields).filter((field) => query.get(party + field));
  const [first] = given;
  if (first !== undefined && query.get('InvoiceDirection') !== direction) {
    throw new ParameterRefusal(party + first, `${party + first} needs InvoiceDirection=${direction}`);
  }
  readChoice(query, `${party}IdType`, legalIdSchemes);
  if (given.includes('Id') && !given.includes('IdType')) {
    throw new ParameterRefusal(`${party}IdType`, `${party}Id needs ${party}IdType`);
  }
  return given.map((field) => (document) => receiverFields[field]?.(document) === query.get(party + field));
}
