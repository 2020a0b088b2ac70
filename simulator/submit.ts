import { hash } from 'node:crypto';
import { type SimulatorResponse, type Delivery, jsonResponse } from './responses.js';
import type { CheckFinding } from './checks/check-finding.js';
import { checkCoreFields } from './checks/core-fields.js';
import { type ReadDocument, readDocument } from './checks/document.js';
import { type SubmittedEntry, readEnvelope } from './checks/envelope.js';
import { type StoredDocument, summarise } from './documents.js';
import { findErrorText } from './error-texts.js';
import { apiError, tinMismatch } from './errors.js';
import { newUid } from './ids.js';
import type { AuthorizedRequest } from './requests.js';
import { type ReservedName, readReservedName, reservedNamesText } from './reserved-names.js';
import { hasDuplicateRule } from './settings.js';
import { type Session, toSubmitterKey } from './token-book.js';
import { findIssuer, readLegalIds, readTin } from './ubl.js';
import { describeDuplicate } from './validators/duplicates.js';
import type { World } from './world.js';

interface CheckedEntry {
  codeNumber: string;
  reading: ReadDocument | CheckFinding[];
}

/** Handles Submit Documents. The checks run in the authority's order as far as it is known. */
export function submit(world: World, request: AuthorizedRequest): SimulatorResponse {
  const envelope = readEnvelope(request.body, request.isTooLarge);
  if ('refusal' in envelope) return envelope.refusal;
  const rejections = rejectByFault(world, request, envelope.entries);
  if (rejections) {
    return jsonResponse(202, { submissionUid: null, acceptedDocuments: [], rejectedDocuments: rejections });
  }
  const sha256 = hash('sha256', request.body, 'hex');
  const refusal = refuseSubmission(world, request.session, envelope.entries, sha256);
  if (refusal) return refusal;
  const entries = request.fault === 'partial-accept' ? takeFirstHalf(envelope.entries) : envelope.entries;
  const now = world.clock.now();
  const readings = entries.map((entry) => ({ codeNumber: entry.codeNumber, reading: readDocument(entry, now) }));
  if (readings.some((entry) => belongsToAnother(entry, request.session))) {
    return tinMismatch();
  }
  const checked = readings.map((entry) => checkValues(entry, now));
  // The authority remembers only payloads that it responded to, and `partial-accept` sends no response.
  if (request.fault !== 'partial-accept') world.rememberPayload(request.session.tin, sha256);
  const documents = accept(world, request, checked);
  return {
    ...jsonResponse(202, {
      submissionUid: documents[0]?.submissionUid ?? null,
      acceptedDocuments: documents.map(({ uuid, number }) => ({ uuid, invoiceCodeNumber: number })),
      rejectedDocuments: checked.flatMap((entry) => buildRejections(entry)),
    }),
    delivery: chooseDelivery(world, documents),
  };
}

function refuseSubmission(
  world: World,
  session: Session,
  entries: SubmittedEntry[],
  sha256: string,
): SimulatorResponse | undefined {
  const failing = numbersNamed(entries, 'fail').filter((number) => world.useOnce(session.tin, number));
  if (failing.length > 0) {
    return apiError(500, { code: 'InternalServerError', message: 'Failed as its document number asks for' });
  }
  const seconds = world.payloads.secondsUntilAccepted(session.tin, sha256, world.clock.now());
  if (seconds > 0 && hasDuplicateRule(world.settings, 'payloads')) {
    return apiError(422, {
      code: 'DuplicateSubmission',
      message:
        'Request payload is identical to a previous payload sent in the last 10 Min. ' +
        `Try to submit payload after ${seconds} seconds.`,
      target: 'submission',
      headers: { 'Retry-After': String(seconds) },
    });
  }
  if (world.isAllowedBy(session.tin, 'submit')) return undefined;
  const message = 'The intermediary may not submit documents for this taxpayer';
  return apiError(403, { code: 'IncorrectSubmitter', message, target: 'submission' });
}

/** Returns a rejection of every document if the fault requires it. */
function rejectByFault(world: World, { fault, session }: AuthorizedRequest, entries: SubmittedEntry[]) {
  if (fault !== 'rejected' && fault !== 'rejected-as-duplicate') return undefined;
  const submitted = world.archive.submittedBy(toSubmitterKey(session));
  return entries.flatMap(({ codeNumber }) => {
    const earlier = fault === 'rejected' ? undefined : submitted.findLast(({ number }) => number === codeNumber);
    const { code, text } = findErrorText('CF321');
    const reason = earlier
      ? { code: world.settings.duplicateCode, message: describeDuplicate(newUid(), earlier.uuid) }
      : { code, message: text };
    return buildRejections({ codeNumber, reading: [{ ...reason, target: codeNumber, propertyPath: null }] });
  });
}

/** Returns whether the issuer is not the login's taxpayer. A sole proprietor's login must also state the BRN. */
function belongsToAnother({ reading }: CheckedEntry, session: Session): boolean {
  if (Array.isArray(reading)) return false;
  const issuer = findIssuer(reading.invoice);
  if (readTin(issuer) !== session.tin) return true;
  const brn = readLegalIds(issuer).find(({ scheme }) => scheme === 'BRN')?.value;
  return session.tin.startsWith('IG') && brn !== undefined && brn !== session.brn;
}

function checkValues({ codeNumber, reading }: CheckedEntry, now: number): CheckedEntry {
  if (Array.isArray(reading)) return { codeNumber, reading };
  const findings = [...checkCoreFields(reading.invoice, now), ...checkReservedName(codeNumber)];
  return { codeNumber, reading: findings.length > 0 ? findings : reading };
}

function checkReservedName(number: string): CheckFinding[] {
  const name = readReservedName(number);
  if (name?.kind === 'unknown') {
    return [{ code: 'SIM', message: reservedNamesText, target: 'codeNumber', propertyPath: 'Invoice.ID' }];
  }
  if (name?.kind !== 'reject') return [];
  const { code, text, path = null } = findErrorText(name.code);
  return [{ code, message: text, target: path?.split('.').at(-1) ?? number, propertyPath: path }];
}

function accept(world: World, request: AuthorizedRequest, checked: CheckedEntry[]): StoredDocument[] {
  const submitter = toSubmitterKey(request.session);
  const receivedAt = world.clock.now();
  const submissionUid = newUid();
  const accepted = checked.flatMap(({ reading }) => (Array.isArray(reading) ? [] : [reading]));
  const documents = accepted.map(({ raw, rawSha256, invoice }) => {
    const identity = { uuid: newUid(), submissionUid, submitter, receivedAt };
    return { ...identity, raw, rawSha256, ...summarise(invoice) };
  });
  if (documents.length === 0) return [];
  const subjects = documents.map((document, index) => {
    const delayMs = readValidationDelay(world, request, document);
    const dueAt = delayMs === undefined ? null : receivedAt + delayMs;
    return { document, invoice: accepted[index]?.invoice ?? {}, dueAt };
  });
  world.accept({ uid: submissionUid, submitter, receivedAt, documents }, subjects);
  return documents;
}

/** Returns undefined if the document is never validated. */
function readValidationDelay(world: World, request: AuthorizedRequest, document: StoredDocument): number | undefined {
  const name = readReservedName(document.number);
  if (name?.kind === 'stuck' || request.fault === 'stuck') return undefined;
  return name?.kind === 'slow' ? name.seconds * 1000 : world.settings.validationDelayMs;
}

function buildRejections({ codeNumber, reading }: CheckedEntry): object[] {
  if (!Array.isArray(reading)) return [];
  const details = reading.map((finding) => ({ ...finding, details: null }));
  // Captured responses have "3", null or a word as the outer code. Only the inner codes are meaningful.
  const error = { code: '3', message: 'Validation Error', target: codeNumber, propertyPath: null, details };
  return [{ invoiceCodeNumber: codeNumber, error }];
}

/** Returns how the response of an accepted submission is sent, according to reserved document numbers. */
function chooseDelivery(world: World, documents: StoredDocument[]): Delivery {
  const isFirst = (kind: ReservedName['kind']) =>
    documents.filter((document) => {
      return readReservedName(document.number)?.kind === kind && world.useOnce(document.issuerTin, document.number);
    }).length > 0;
  if (isFirst('drop')) return 'cut';
  return isFirst('late') ? 'late' : 'normal';
}

function takeFirstHalf(entries: SubmittedEntry[]): SubmittedEntry[] {
  return entries.slice(0, Math.floor(entries.length / 2));
}

function numbersNamed(entries: SubmittedEntry[], kind: ReservedName['kind']): string[] {
  return entries.map(({ codeNumber }) => codeNumber).filter((number) => readReservedName(number)?.kind === kind);
}
