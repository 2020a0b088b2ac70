import { type SimulatorResponse, jsonResponse } from './responses.js';
import { documentTypeCodes } from './document-types.js';
import { type StoredDocument, toCommonRow, getStatus } from './documents.js';
import { notPermitted } from './errors.js';
import { readPage } from './paging.js';
import { type Span, isWithin, readChoice } from './query-parameters.js';
import type { AuthorizedRequest } from './requests.js';
import { type Session, intermediaryTin, toSubmitterKey } from './token-book.js';
import type { World } from './world.js';

const documentsMax = 10_000;

export type Filter = (document: StoredDocument) => boolean;

/** Time ranges and filters of a document query. */
export interface Selection {
  submitted: Span;
  issued: Span;
  filters: Filter[];
}

/** Returns one page of the caller's documents, newest first. Search and Recent share this function. */
export function listDocuments(
  world: World,
  { query, session }: AuthorizedRequest,
  readSelection: (query: URLSearchParams) => Selection,
): SimulatorResponse {
  const page = readPage(query);
  if (!world.isAllowedBy(session.tin, 'view')) return notPermitted();
  const found = latestFirst(world, session, readSelection(query));
  return jsonResponse(200, {
    result: found.slice(page.from, page.to).map((document) => toListedRow(document)),
    metadata: { totalPages: Math.ceil(found.length / page.size), totalCount: found.length },
  });
}

/** Scans backwards from the newest document to the start of the range, so that old documents do not slow it down. */
function latestFirst(world: World, session: Session, { submitted, issued, filters }: Selection): StoredDocument[] {
  const isInTime: Filter = ({ receivedAt, issuedAt }) => isWithin(receivedAt, submitted) && isWithin(issuedAt, issued);
  const allFilters = [isInTime, ...filters];
  // The receipt time is never before the issue time.
  const receivedFrom = Math.max(submitted.from, issued.from);
  const indexedUntil = world.clock.now() - world.settings.searchLagMs;
  const documents = world.archive.submittedBy(toSubmitterKey(session));
  const found: StoredDocument[] = [];
  for (let index = documents.length - 1; index >= 0 && found.length < documentsMax; index -= 1) {
    const document = documents[index];
    if (!document || document.receivedAt < receivedFrom) break;
    if (document.receivedAt <= indexedUntil && allFilters.every((filter) => filter(document))) found.push(document);
  }
  return found;
}

/** Reads the filters that Search and Recent share. The direction parameter has a different name in each call. */
export function readCommonFilters(query: URLSearchParams, directionName: string): Filter[] {
  const filters: Filter[] = [];
  const status = readChoice(query, 'status', ['Valid', 'Invalid', 'Cancelled', 'Submitted']);
  if (status) filters.push((document) => getStatus(document) === status);
  const type = readChoice(query, 'documentType', documentTypeCodes);
  if (type) filters.push((document) => document.type === type);
  // An intermediary cannot see documents that others issued to the taxpayer, so no document matches `Received`.
  if (readChoice(query, directionName, ['Sent', 'Received']) === 'Received') filters.push(() => false);
  return filters;
}

function toListedRow(document: StoredDocument) {
  return {
    ...toCommonRow(document),
    submissionUID: document.submissionUid,
    issuerName: document.supplierName,
    totalSales: document.totals.excludingTax,
    netAmount: document.totals.net,
    total: document.totals.payable,
    supplierTIN: document.supplierTin,
    supplierName: document.supplierName,
    submissionChannel: 'ERP',
    intermediaryName: 'Simulated Intermediary',
    intermediaryTin,
    intermediaryRob: '',
    buyerName: document.buyerName,
    buyerTIN: document.buyerTin,
  };
}
