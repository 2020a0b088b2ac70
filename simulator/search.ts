import { type Answer, jsonAnswer } from './answers.js';
import { type StoredDocument, commonRowOf, statusOf } from './documents.js';
import { badArgument, notPermitted } from './errors.js';
import { readPage } from './paging.js';
import type { AuthorizedRequest } from './requests.js';
import { type Session, submitterOf } from './token-book.js';
import type { World } from './world.js';

const spanMsMax = 31 * 24 * 60 * 60_000;
const documentsMax = 10_000;

interface Span {
  from: number;
  to: number;
}

/** What is wrong with one query parameter. */
class SearchRefusal extends Error {
  constructor(
    readonly target: string,
    message: string,
  ) {
    super(message);
  }
}

const always: Span = { from: -Infinity, to: Infinity };

interface Periods {
  submitted: Span;
  issued: Span;
}

type Filter = (document: StoredDocument) => boolean;

export function searchDocuments(world: World, { query, session }: AuthorizedRequest): Answer {
  const page = readPage(query);
  if (!page) return badArgument('pageSize', 'pageNo starts at 1 and pageSize is at most 100');
  if (!world.isAllowedBy(session.tin, 'view')) return notPermitted();
  try {
    const periods = readPeriods(query);
    const found = latestFirst(world, session, periods, readFilters(query));
    return jsonAnswer(200, {
      result: found.slice(page.from, page.to).map((document) => searchRowOf(document)),
      metadata: { totalPages: Math.ceil(found.length / page.size), totalCount: found.length },
    });
  } catch (error) {
    if (error instanceof SearchRefusal) return badArgument(error.target, error.message);
    throw error;
  }
}

/** From the newest on, and no further back than any match can be: a search must not cost more with every document. */
function latestFirst(world: World, session: Session, periods: Periods, otherFilters: Filter[]): StoredDocument[] {
  const { submitted, issued } = periods;
  const isInTime: Filter = ({ receivedAt, issuedAt }) => isWithin(receivedAt, submitted) && isWithin(issuedAt, issued);
  const filters = [isInTime, ...otherFilters];
  // No document is received before it is issued.
  const receivedFrom = Math.max(submitted.from, issued.from);
  const indexedUntil = world.clock.now() - world.settings.searchLagMs;
  const documents = world.archive.submittedBy(submitterOf(session));
  const found: StoredDocument[] = [];
  for (let index = documents.length - 1; index >= 0 && found.length < documentsMax; index -= 1) {
    const document = documents[index];
    if (!document || document.receivedAt < receivedFrom) break;
    if (document.receivedAt <= indexedUntil && filters.every((filter) => filter(document))) found.push(document);
  }
  return found;
}

function readPeriods(query: URLSearchParams): Periods {
  const submitted = readSpan(query, 'submissionDate');
  const issued = readSpan(query, 'issueDate');
  if (!submitted && !issued) {
    throw new SearchRefusal('submissionDateFrom', 'A pair of submission dates or of issue dates is mandatory');
  }
  return { submitted: submitted ?? always, issued: issued ?? always };
}

function readFilters(query: URLSearchParams): Filter[] {
  const filters: Filter[] = [readDirection(query), readSearchQuery(query)];
  const status = readOneOf(query, 'status', ['Valid', 'Invalid', 'Cancelled', 'Submitted']);
  if (status) filters.push((document) => statusOf(document) === status);
  const type = readOneOf(query, 'documentType', ['01', '02', '03', '04', '11', '12', '13', '14']);
  if (type) filters.push((document) => document.type === type);
  const uuid = query.get('uuid');
  if (uuid) filters.push((document) => document.uuid === uuid);
  return filters;
}

function readSpan(query: URLSearchParams, name: string): Span | undefined {
  const texts = [query.get(`${name}From`), query.get(`${name}To`)];
  if (texts.every((text) => !text)) return undefined;
  const [from, to] = texts.map((text) => readInstant(text, name));
  if (from === undefined || to === undefined || from >= to) {
    throw new SearchRefusal(`${name}From`, `${name}From must be before ${name}To`);
  }
  if (to - from > spanMsMax) throw new SearchRefusal(`${name}To`, 'The period is longer than 31 days');
  return { from, to };
}

function readInstant(text: string | null, name: string): number {
  const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/.test(text ?? '') ? Date.parse(text ?? '') : NaN;
  if (Number.isNaN(instant)) throw new SearchRefusal(name, `${name}From and ${name}To must both be UTC date times`);
  return instant;
}

/** Documents that others issued to the taxpayer are not shown to an intermediary, so there are none received. */
function readDirection(query: URLSearchParams): Filter {
  const direction = readOneOf(query, 'invoiceDirection', ['Sent', 'Received']);
  return () => direction !== 'Received';
}

function readSearchQuery(query: URLSearchParams): Filter {
  const text = (query.get('searchQuery') ?? '').toLowerCase();
  if (!/^[a-z0-9 ]*$/.test(text)) throw new SearchRefusal('searchQuery', 'Special characters are not allowed');
  if (text === '') return () => true;
  return (document) =>
    [
      document.uuid,
      document.buyerTin,
      document.supplierTin,
      document.buyerName,
      document.supplierName,
      document.number,
      String(document.totals.payable),
    ].some((field) => field.toLowerCase().includes(text));
}

function readOneOf(query: URLSearchParams, name: string, values: string[]): string | undefined {
  const value = query.get(name);
  if (!value) return undefined;
  if (!values.includes(value)) throw new SearchRefusal(name, `${name} must be one of ${values.join(', ')}`);
  return value;
}

function isWithin(instant: number, { from, to }: Span): boolean {
  return instant >= from && instant <= to;
}

function searchRowOf(document: StoredDocument) {
  return {
    ...commonRowOf(document),
    submissionUID: document.submissionUid,
    totalSales: document.totals.excludingTax,
    netAmount: document.totals.net,
    total: document.totals.payable,
    supplierTIN: document.supplierTin,
    supplierName: document.supplierName,
    submissionChannel: 'ERP',
    intermediaryName: 'Simulated Intermediary',
    intermediaryTin: 'C58476302900',
    intermediaryRob: '',
    buyerName: document.buyerName,
    buyerTIN: document.buyerTin,
  };
}
