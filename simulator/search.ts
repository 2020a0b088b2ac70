import type { SimulatorResponse } from './responses.js';
import { type Filter, type Selection, listDocuments, readCommonFilters } from './document-list.js';
import { ParameterRefusal, always, readSpan } from './query-parameters.js';
import type { AuthorizedRequest } from './requests.js';
import type { World } from './world.js';

export function searchDocuments(world: World, request: AuthorizedRequest): SimulatorResponse {
  return listDocuments(world, request, readSearch);
}

function readSearch(query: URLSearchParams): Selection {
  const submitted = readSpan(query, 'submissionDate');
  const issued = readSpan(query, 'issueDate');
  if (!submitted && !issued) {
    throw new ParameterRefusal('submissionDateFrom', 'A pair of submission dates or of issue dates is mandatory');
  }
  const filters = [readSearchQuery(query), ...readCommonFilters(query, 'invoiceDirection')];
  const uuid = query.get('uuid');
  if (uuid) filters.push((document) => document.uuid === uuid);
  return { submitted: submitted ?? always, issued: issued ?? always, filters };
}

function readSearchQuery(query: URLSearchParams): Filter {
  const text = (query.get('searchQuery') ?? '').toLowerCase();
  if (!/^[a-z0-9 ]*$/.test(text)) throw new ParameterRefusal('searchQuery', 'Special characters are not allowed');
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
