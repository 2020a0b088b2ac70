import { consolidatedInvoice, invoice } from './documents.js';
import { accept, type DocumentStatus, follow, number, once, type Status } from './suite.js';

// Documents that several checks share. The first check that needs a batch submits it.

/** A batch with its documents by purpose. */
interface Batch<Name extends string> {
  readonly submissionBatchId: string;
  readonly status: Status;
  readonly documents: Readonly<Record<Name, DocumentStatus>>;
}

const VALID = ['plain', 'cancelled', 'cancelledByAlias', 'noted', 'parent'] as const;

/** Documents that every authority accepts, because consolidated documents need no registered buyer. */
export const validBatch = once(async (): Promise<Batch<(typeof VALID)[number]>> => {
  const documents = VALID.map((name) => consolidatedInvoice(number(name)));
  const { submissionBatchId } = await accept(documents, { type: 'consolidated' });
  const status = await follow(submissionBatchId);
  return { submissionBatchId, status, documents: byName(VALID, status) };
});

const RESERVED = {
  valid: 'INV',
  invalid: 'SIM-INVALID-CV302',
  buyerInvalid: 'SIM-INVALID-CF358',
  resubmitted: 'SIM-INVALID-CV302',
  rejected: 'SIM-REJECT-CF349',
  rejectedAgain: 'SIM-REJECT-CF349',
  unknownName: 'SIM-WHAT',
  slow: 'SIM-SLOW-8',
  lateToCancel: 'SIM-NOCANCEL',
};
const RESERVED_NAMES = Object.keys(RESERVED) as (keyof typeof RESERVED)[];

/** One document per outcome that a reserved document number triggers in the simulator. */
export const reservedBatch = once(async (): Promise<Batch<keyof typeof RESERVED>> => {
  const { submissionBatchId } = await accept(RESERVED_NAMES.map((name) => invoice(number(RESERVED[name]))));
  const status = await follow(submissionBatchId);
  return { submissionBatchId, status, documents: byName(RESERVED_NAMES, status) };
});

/** A document that stays `Submitted`. */
export const stuckBatch = once(async (): Promise<Batch<'stuck'>> => {
  const { submissionBatchId } = await accept([invoice(number('SIM-STUCK'))]);
  const status = await follow(submissionBatchId, ({ documents }) => documents[0].authorityStatus === 'Submitted');
  return { submissionBatchId, status, documents: byName(['stuck'], status) };
});

function byName<Name extends string>(names: readonly Name[], status: Status): Record<Name, DocumentStatus> {
  const entries = names.map((name, index) => [name, status.documents[index]]);
  return Object.fromEntries(entries) as Record<Name, DocumentStatus>;
}
