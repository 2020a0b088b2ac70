import { isoSeconds } from './clock.js';
import { type StoredDocument, getStatus } from './documents.js';
import { parseJson } from './parse-json.js';
import type { World } from './world.js';

/** Returns the latest accepted documents that are still stored, oldest first. */
export function listReceived(world: World, count: number) {
  const documents = world.archive.wireLog.latest(count).map(({ uuid }) => world.archive.find(uuid));
  return documents.filter((document) => document !== undefined).map((document) => toRow(document));
}

/** Returns a document with its parsed content, or undefined if the document does not exist. */
export function showReceived(world: World, uuid: string) {
  const document = world.archive.find(uuid);
  return document && { ...toRow(document), content: parseJson(document.raw.toString('utf8')) };
}

function toRow(document: StoredDocument) {
  const { uuid, submissionUid, number, type, supplierTin, supplierName, buyerTin, buyerName } = document;
  return {
    uuid,
    submissionUid,
    number,
    type,
    supplierTin,
    supplierName,
    buyerTin,
    buyerName,
    totalPayable: document.totals.payable,
    time: isoSeconds(document.receivedAt),
    status: getStatus(document),
    errors: (document.outcome?.failedSteps ?? []).flatMap(({ findings }) =>
      findings.map(({ code, message, path }) => ({ code, message, path })),
    ),
  };
}
