import { type Answer, jsonAnswer } from './answers.js';
import { parseJson } from './requests.js';
import { isNode } from './ubl.js';

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
