import { isoSeconds } from './clock.js';
import { type StoredDocument, getStatus } from './documents.js';
import { parseJson } from './parse-json.js';
import type { World } from './world.js';

/** The latest accepted documents that are still kept, the oldest of them first. */
export function listReceived(world: World, count: number) {
  const documents = world.archive.wireLog.latest(count).map(({ uuid }) => world.archive.find(uuid));
  return documents.filter((document) => document !== undefined).map((document) => toRow(document));
}

/** A document with its content, as JSON; undefined when there is none. */
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
