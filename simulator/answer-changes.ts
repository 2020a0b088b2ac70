import { type Answer, jsonAnswer } from './answers.js';
import { parseJson } from './requests.js';
import { type UblNode, isNode } from './ubl.js';

type ChangeOfList = (list: unknown[]) => unknown[];

/** The members that name documents, in the answers of Submit, Get Submission, Search and Recent. */
const documentLists = ['acceptedDocuments', 'rejectedDocuments', 'documentSummary', 'result'];

export function inReverse(answer: Answer): Answer {
  return withLists(answer, documentLists, (list) => list.toReversed());
}

/** One document is taken and not named. */
export function withoutTheLast(answer: Answer): Answer {
  return withLists(answer, ['acceptedDocuments', 'documentSummary'], (list) => list.slice(0, -1));
}

/** The last document bears the uuid of another one: the first of the same call, or when it is alone, the given one. */
export function withUuidTwice(answer: Answer, otherUuid: string | undefined): Answer {
  return withLists(answer, ['acceptedDocuments'], (list) => {
    const [first, last] = [list[0], list.at(-1)];
    if (!isNode(first) || !isNode(last)) return list;
    const uuid = list.length > 1 ? first.uuid : otherUuid;
    return uuid === undefined ? [first, last] : [...list.slice(0, -1), { ...last, uuid }];
  });
}

/** An answer that lacks a member. */
export function withoutMember(answer: Answer, name: string): Answer {
  const body = parseJson(answer.body);
  if (!isNode(body)) return answer;
  const { [name]: _, ...rest } = body;
  return jsonAnswer(answer.status, rest, answer.headers);
}

/** Errors of documents as bare texts, the first that each object holds at its deepest. */
export function withErrorsAsText(answer: Answer): Answer {
  const body = parseJson(answer.body);
  return isNode(body) ? jsonAnswer(answer.status, errorsAsText(body), answer.headers) : answer;
}

function errorsAsText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => errorsAsText(each));
  if (!isNode(value)) return value;
  const members = Object.entries(value).map(([name, each]) => {
    return [name, name === 'error' && isNode(each) ? textOf(each) : errorsAsText(each)];
  });
  return Object.fromEntries(members);
}

function textOf({ details, innerError, error, message }: UblNode): unknown {
  for (const inner of [details, innerError]) {
    if (Array.isArray(inner) && isNode(inner[0])) return textOf(inner[0]);
  }
  return error ?? message;
}

/** An answer without these lists, a refusal, stays as it is. */
function withLists(answer: Answer, names: readonly string[], change: ChangeOfList): Answer {
  const body = parseJson(answer.body);
  if (!isNode(body)) return answer;
  const changed = names.flatMap((name) => {
    const list = body[name];
    return Array.isArray(list) ? [[name, change(list as unknown[])]] : [];
  });
  return jsonAnswer(answer.status, { ...body, ...Object.fromEntries(changed) }, answer.headers);
}
