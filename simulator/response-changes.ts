import { type SimulatorResponse, jsonResponse } from './responses.js';
import { parseJson } from './parse-json.js';
import { type UblNode, isNode } from './ubl.js';

type ListChange = (list: unknown[]) => unknown[];

/** Names of the members with document lists in Submit, Get Submission, Search and Recent. */
const documentLists = ['acceptedDocuments', 'rejectedDocuments', 'documentSummary', 'result'];

export function inReverse(response: SimulatorResponse): SimulatorResponse {
  return withLists(response, documentLists, (list) => list.toReversed());
}

/** Removes the last document from the response, although it was accepted. */
export function withoutTheLast(response: SimulatorResponse): SimulatorResponse {
  return withLists(response, ['acceptedDocuments', 'documentSummary'], (list) => list.slice(0, -1));
}

/** Gives the last document the uuid of the first one. If the call has only one document, it gets `otherUuid`. */
export function withUuidTwice(response: SimulatorResponse, otherUuid: string | undefined): SimulatorResponse {
  return withLists(response, ['acceptedDocuments'], (list) => {
    const [first, last] = [list[0], list.at(-1)];
    if (!isNode(first) || !isNode(last)) return list;
    const uuid = list.length > 1 ? first.uuid : otherUuid;
    return uuid === undefined ? [first, last] : [...list.slice(0, -1), { ...last, uuid }];
  });
}

/** Swaps the uuids of the first and the last accepted document. */
export function withSwappedUuids(response: SimulatorResponse): SimulatorResponse {
  return withLists(response, ['acceptedDocuments'], (list) => {
    const [first, last] = [list[0], list.at(-1)];
    if (list.length < 2 || !isNode(first) || !isNode(last)) return list;
    return [{ ...first, uuid: last.uuid }, ...list.slice(1, -1), { ...last, uuid: first.uuid }];
  });
}

/** Replaces the uuid of the last accepted document. `undefined` keeps the response unchanged. */
export function withLastUuid(response: SimulatorResponse, uuid: string | undefined): SimulatorResponse {
  return withLists(response, ['acceptedDocuments'], (list) => {
    const last = list.at(-1);
    return uuid === undefined || !isNode(last) ? list : [...list.slice(0, -1), { ...last, uuid }];
  });
}

/** Sets a member of the response. `undefined` keeps the response unchanged. */
export function withMember(response: SimulatorResponse, name: string, value: unknown): SimulatorResponse {
  const body = parseJson(response.body);
  if (!isNode(body) || value === undefined) return response;
  return jsonResponse(response.status, { ...body, [name]: value }, response.headers);
}

/** Removes a member from the response. */
export function withoutMember(response: SimulatorResponse, name: string): SimulatorResponse {
  const body = parseJson(response.body);
  if (!isNode(body)) return response;
  const { [name]: _, ...rest } = body;
  return jsonResponse(response.status, rest, response.headers);
}

/** Replaces each error object by the text of its first innermost error. */
export function withErrorsAsText(response: SimulatorResponse): SimulatorResponse {
  const body = parseJson(response.body);
  return isNode(body) ? jsonResponse(response.status, errorsAsText(body), response.headers) : response;
}

function errorsAsText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => errorsAsText(each));
  if (!isNode(value)) return value;
  const members = Object.entries(value).map(([name, each]) => {
    return [name, name === 'error' && isNode(each) ? findText(each) : errorsAsText(each)];
  });
  return Object.fromEntries(members);
}

function findText({ details, innerError, error, message }: UblNode): unknown {
  for (const inner of [details, innerError]) {
    if (Array.isArray(inner) && isNode(inner[0])) return findText(inner[0]);
  }
  return error ?? message;
}

/** Applies a change to the named lists. A response without these lists, such as an error, stays unchanged. */
function withLists(response: SimulatorResponse, names: readonly string[], change: ListChange): SimulatorResponse {
  const body = parseJson(response.body);
  if (!isNode(body)) return response;
  const changed = names.flatMap((name) => {
    const list = body[name];
    return Array.isArray(list) ? [[name, change(list as unknown[])]] : [];
  });
  return jsonResponse(response.status, { ...body, ...Object.fromEntries(changed) }, response.headers);
}
