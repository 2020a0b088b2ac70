import { hash } from 'node:crypto';
import type { Submission } from './archive.js';
import type { Change, ChangeByKind, ChangeKind, KeptDocument, KeptSubmission } from './changes.js';
import { summarise } from './documents.js';
import { readInvoice } from './ubl.js';
import { type AcceptedDocument, type Permission, type World, permissionNames } from './world.js';

const entriesInChange = 1_000;

const restoring: { [Kind in ChangeKind]: (world: World, change: ChangeByKind[Kind]) => void } = {
  reset: (world) => world.reset(),
  clock: (world, { offsetMs }) => {
    world.clock.offsetMs = offsetMs;
  },
  settings: (world, settings) => world.change({ ...settings }),
  submission: restoreSubmission,
  document: (world, { uuid, state }) => {
    const document = world.archive.find(uuid);
    if (document) Object.assign(document, state);
    if (state.outcome) world.validations.remove(uuid);
  },
  token: (world, { text, token }) => world.tokens.keep(text, token),
  payload: (world, { key, acceptedAt }) => world.payloads.rememberKey(key, acceptedAt),
  appointment: (world, { tin, permissions, submitsSince }) =>
    world.setAppointment(tin, { permissions: new Set(permissions.filter(isPermission)), submitsSince }),
  usedName: (world, key) => world.usedNames.add(key),
  faults: (world, rules) => world.faults.restore(rules),
  wireLog: (world, { forgotten }) => world.archive.beginWireLog(forgotten),
  wireLogEntries: (world, entries) => world.archive.logAgain(entries),
};

/** Replays a change from the journal. @throws Error if the kind of change is unknown */
export function restore(world: World, [kind, change]: Change): void {
  const make = restoring[kind] as ((world: World, change: unknown) => void) | undefined;
  if (!make) throw new Error(`Unknown change "${kind}"`);
  make(world, change);
}

/** Lists the changes that rebuild the world from an empty one. The call log and rate-limit windows are not included. */
export function* listChanges(world: World): Generator<Change> {
  yield ['clock', { offsetMs: world.clock.offsetMs }];
  yield ['settings', world.settings];
  const { wireLog } = world.archive;
  const dueTimes = world.validations.dueTimes();
  // Appointments come before submissions, because the signature check of a submission reads them.
  for (const [tin, { permissions, submitsSince }] of world.appointments)
    yield ['appointment', { tin, permissions: [...permissions], submitsSince }];
  for (const submission of world.archive.allSubmissions()) yield* listSubmissionChanges(submission, dueTimes);
  for (const [text, token] of world.tokens.all()) yield ['token', { text, token }];
  for (const [key, acceptedAt] of world.payloads.all()) yield ['payload', { key, acceptedAt }];
  for (const key of world.usedNames) yield ['usedName', key];
  yield ['faults', world.faults.all()];
  yield ['wireLog', { forgotten: wireLog.forgottenCount() }];
  for (let from = 0; from < wireLog.all().length; from += entriesInChange) {
    yield ['wireLogEntries', wireLog.all().slice(from, from + entriesInChange)];
  }
}

function* listSubmissionChanges(submission: Submission, dueTimes: ReadonlyMap<string, number>): Generator<Change> {
  const documents = submission.documents.map(({ uuid, raw }) => ({
    uuid,
    raw: raw.toString('base64'),
    dueAt: dueTimes.get(uuid) ?? null,
  }));
  yield ['submission', { ...submission, documents }];
  for (const { uuid, outcome, cancelledAt, rejectRequestedAt, reason } of submission.documents) {
    yield ['document', { uuid, state: { outcome, cancelledAt, rejectRequestedAt, reason } }];
  }
}

function restoreSubmission(world: World, { uid, submitter, receivedAt, documents }: KeptSubmission): void {
  const accepted = documents.map((document) => read(document, { uid, submitter, receivedAt }));
  world.accept({ uid, submitter, receivedAt, documents: accepted.map(({ document }) => document) }, accepted);
}

/** Recomputes the values that derive from a document's content, which the journal does not contain. */
function read(
  { uuid, raw: text, dueAt }: KeptDocument,
  submission: Omit<KeptSubmission, 'documents'>,
): AcceptedDocument {
  const { uid: submissionUid, submitter, receivedAt } = submission;
  // See `readDocument`: a slice of Node's pool would keep the whole pool in memory.
  const raw = Buffer.allocUnsafeSlow(Buffer.byteLength(text, 'base64'));
  raw.write(text, 'base64');
  const rawSha256 = hash('sha256', raw, 'hex');
  const invoice = readInvoice(raw);
  const document = { uuid, submissionUid, submitter, receivedAt, raw, rawSha256, ...summarise(invoice) };
  return { document, invoice, dueAt };
}

function isPermission(name: string): name is Permission {
  return permissionNames.some((known) => known === name);
}
