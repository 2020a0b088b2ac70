import { type SimulatorResponse, jsonResponse } from './responses.js';
import { isoSeconds } from './clock.js';
import type { StoredDocument } from './documents.js';
import { notPermitted } from './errors.js';
import { readPage } from './paging.js';
import { ParameterRefusal, type Span, isWithin, readInstant, readChoice } from './query-parameters.js';
import type { AuthorizedRequest } from './requests.js';
import { toSubmitterKey } from './token-book.js';
import type { World } from './world.js';

/** The authority's notification types. The simulator sends types 7, 8 and 15. */
const typeNames: Record<string, string> = {
  '3': 'Profile data validation',
  '6': 'Document received',
  '7': 'Document validated',
  '8': 'Document cancelled',
  '10': 'User profile changed',
  '11': 'Taxpayer profile changed',
  '15': 'Document rejection initiated',
  '26': 'ERP data validation',
  '33': 'Documents processing summary',
  '34': 'Document Template Published',
  '35': 'Document Template Deletion',
};

// In order: new, pending, batched, delivered, error.
const statusIds = ['1', '2', '3', '4', '5'];
const delivered = '4';
const language = 'en';

interface Event {
  typeId: string;
  at: number;
  document: StoredDocument;
  message: string;
}

/** Lists events of the caller's documents, newest first. They are derived from the documents; no e-mail is sent. */
export function listNotifications(world: World, { query, session }: AuthorizedRequest): SimulatorResponse {
  const page = readPage(query);
  if (!world.isAllowedBy(session.tin, 'view')) return notPermitted();
  const isWanted = readFilter(query);
  const documents = world.archive.submittedBy(toSubmitterKey(session));
  const found = documents.flatMap((document) => listEvents(document).filter((event) => isWanted(event)));
  found.sort((one, other) => other.at - one.at);
  return jsonResponse(200, {
    result: found.slice(page.from, page.to).map((event) => toNotification(event)),
    metadata: { hasNext: found.length > page.to },
  });
}

function listEvents(document: StoredDocument): Event[] {
  const { outcome, cancelledAt, rejectRequestedAt, number, reason } = document;
  const events: Event[] = [];
  const add = (typeId: string, at: number | undefined, message: string) => {
    if (at !== undefined) events.push({ typeId, at, document, message: `Document ${number} ${message}` });
  };
  add('7', outcome?.validatedAt, outcome?.longId ? 'is Valid' : 'is Invalid');
  add('8', cancelledAt, `was cancelled: ${reason ?? ''}`);
  add('15', rejectRequestedAt, 'is to be rejected by request of the buyer');
  return events;
}

function readFilter(query: URLSearchParams): (event: Event) => boolean {
  const sent = readSent(query);
  const typeId = readChoice(query, 'type', Object.keys(typeNames));
  // All notifications are in English and delivered, so a query for any other value returns none.
  const isUsual = [
    readChoice(query, 'language', ['ms', language]) ?? language,
    readChoice(query, 'status', statusIds) ?? delivered,
  ].every((value) => [language, delivered].includes(value));
  return (event) => isUsual && isWithin(event.at, sent) && (!typeId || event.typeId === typeId);
}

/** Reads a time range. Each end is optional. */
function readSent(query: URLSearchParams): Span {
  const from = readInstant(query, 'dateFrom') ?? -Infinity;
  const to = readInstant(query, 'dateTo') ?? Infinity;
  if (from >= to) throw new ParameterRefusal('dateFrom', 'dateFrom must be before dateTo');
  return { from, to };
}

function toNotification({ typeId, at, document, message }: Event) {
  const id = `${document.uuid}${typeId.padStart(2, '0')}`;
  const isSelfBilled = document.issuerTin !== document.supplierTin;
  const time = isoSeconds(at);
  return {
    notificationId: id,
    receiverName: isSelfBilled ? document.buyerName : document.supplierName,
    notificationDeliveryId: `${id}01`,
    creationDateTime: time,
    receivedDateTime: time,
    notificationSubject: typeNames[typeId],
    deliveredDateTime: time,
    typeId,
    typeName: typeNames[typeId],
    finalMessage: message,
    address: '',
    language,
    status: 'delivered',
    deliveryAttempts: [{ attemptDateTime: time, status: 'delivered', statusDetails: '' }],
  };
}
