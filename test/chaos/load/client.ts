import { randomUUID } from 'node:crypto';
import type { Random } from '../../../bench/content/random.js';
import { type Caller, readCode, type HttpCall, type Outcome } from './caller.js';
import { type DocumentRequest, type MadeDocument, makeDocument } from './documents.js';
import type { DocumentBudget } from './document-budget.js';
import type { AcceptedCancel, AcceptedSubmit, DocumentType, History } from './history.js';
import type { ChaosTenant } from './tenants.js';

export const SUBMIT_PATH = '/v1/einvoice/submit';
const BATCH_SIZES = [1, 1, 1, 2, 3, 5, 10, 25, 60, 100] as const;
const CONSOLIDATED_SHARE = 0.12;
const NOTE_IN_BATCH_SHARE = 0.12;
const EQUAL_NUMBER_SHARE = 0.03;
const FOLLOWED_SHARE = 0.3;
const REMEMBERED_MAX = 200;

/**
 * Reserved number prefixes of the simulator and their share of documents. A document without a response affects its
 * whole call, so that most calls of 100 documents must not contain such a document.
 */
const RESERVED: readonly { readonly prefix: string; readonly share: number }[] = [
  { prefix: 'SIM-INVALID-CV302', share: 0.03 },
  { prefix: 'SIM-REJECT-CF349', share: 0.02 },
  { prefix: 'SIM-SLOW-6', share: 0.01 },
  { prefix: 'SIM-DROP', share: 0.002 },
  { prefix: 'SIM-LATE', share: 0.001 },
  { prefix: 'SIM-FAIL', share: 0.002 },
  { prefix: 'SIM-NOCANCEL', share: 0.01 },
];

/** State shared by the clients of a tenant. */
export class TenantMemory {
  /** Batches that the clients poll. */
  readonly followed: { submissionBatchId: string; polls: number }[] = [];
  readonly valid: KnownDocument[] = [];
  readonly resubmittable: KnownDocument[] = [];
  readonly parents: { referenceId: string; isConsolidated: boolean }[] = [];
  readonly done: { operation: 'submit' | 'cancel'; call: HttpCall }[] = [];
  readonly batchIds: string[] = [];
  readonly documentIds: string[] = [];
  readonly seenIds = new Set<string>();

  constructor(readonly tenant: ChaosTenant) {}
}

interface KnownDocument {
  readonly documentId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly submissionBatchId: string;
}

export interface ClientOptions {
  readonly memory: TenantMemory;
  /** Memories of all tenants, for requests with foreign ids. */
  readonly others: readonly TenantMemory[];
  readonly caller: Caller;
  readonly random: Random;
  readonly history: History;
  readonly budget: DocumentBudget;
  readonly onUnanswered: (what: string) => void;
}

/** Client of a tenant that makes random calls one after the other and records the responses. */
export class ChaosClient {
  /** Set after a 402 response. The client then stops. */
  hasNoCredits = false;
  private numbers = 0;

  /** Candidate actions in order, each with its probability. Otherwise the client submits a new batch. */
  private readonly actions: readonly { isPossible: () => boolean; share: number; take: () => Promise<void> }[] = [
    { isPossible: () => this.memory.resubmittable.length > 0, share: 0.2, take: () => this.resubmit() },
    { isPossible: () => this.memory.valid.length > 0, share: 0.12, take: () => this.cancel() },
    { isPossible: () => this.memory.followed.length > 0, share: 0.3, take: () => this.poll() },
    { isPossible: () => this.memory.done.length > 0, share: 0.08, take: () => this.repeat() },
    { isPossible: () => true, share: 0.04, take: () => this.probeOtherTenant() },
    { isPossible: () => true, share: 0.02, take: () => this.askTin() },
    { isPossible: () => this.memory.parents.length > 0, share: 0.2, take: () => this.submitNote() },
  ];

  constructor(
    private readonly name: string,
    private readonly options: ClientOptions,
  ) {}

  /** Makes one random call. */
  async act(): Promise<void> {
    const { random } = this.options;
    const action = this.actions.find(({ isPossible, share }) => isPossible() && random.chance(share));
    await (action === undefined ? this.submitBatch() : action.take());
  }

  private async submitBatch(): Promise<void> {
    const { random, budget } = this.options;
    const size = budget.take(random.pick(BATCH_SIZES));
    if (size === 0) return;
    const isConsolidated = random.chance(CONSOLIDATED_SHARE);
    const requests: DocumentRequest[] = [];
    while (requests.length < size) {
      const referenceId = this.createReference();
      requests.push({ documentType: 'invoice', referenceId, isConsolidated });
      if (requests.length === size) break;
      // A credit note in the same request as its invoice waits until the invoice is valid.
      if (random.chance(NOTE_IN_BATCH_SHARE)) requests.push(this.buildNote(referenceId, isConsolidated));
      // Equal numbers of two types must not travel in one call.
      else if (random.chance(EQUAL_NUMBER_SHARE))
        requests.push({ ...this.buildNote(referenceId, isConsolidated), referenceId });
    }
    await this.submit(requests, isConsolidated);
  }

  private async submitNote(): Promise<void> {
    const { random, memory, budget } = this.options;
    if (budget.take(1) === 0) return;
    const { referenceId, isConsolidated } = random.pick(memory.parents);
    await this.submit([this.buildNote(referenceId, isConsolidated)], isConsolidated);
  }

  private async resubmit(): Promise<void> {
    const { random, memory, budget } = this.options;
    const index = random.integer(0, memory.resubmittable.length - 1);
    const [document] = memory.resubmittable.splice(index, 1);
    if (document.documentType !== 'invoice' || budget.take(1) === 0) return;
    const { documentType, referenceId } = document;
    await this.submit([{ documentType, referenceId, isConsolidated: false }], false);
  }

  private async submit(requests: readonly DocumentRequest[], isConsolidated: boolean): Promise<void> {
    const { memory, random, history, budget } = this.options;
    const made = requests.map((request) => makeDocument(random, request));
    const call = this.post(SUBMIT_PATH, {
      submission_type: isConsolidated ? 'consolidated' : 'non-consolidated',
      documents: made.map(({ body }) => body),
    });
    const outcome = await this.call(call, `submit of ${made[0].sent.referenceId}`);
    const accepted = outcome.final?.status === 200 ? (outcome.final.body as AcceptedSubmit) : null;
    const documents = made.map(({ sent }) => sent);
    history.add(memory.tenant.tenantId, {
      kind: 'submit',
      key: call.key,
      answers: outcome.answers,
      documents,
      accepted,
    });
    if (accepted === null) {
      budget.giveBack(made.length);
      this.hasNoCredits = outcome.final?.status === 402;
      return this.recordUnexpected(outcome, SUBMIT_REFUSALS, 'submit');
    }
    budget.accepted += made.length;
    remember(memory.done, { operation: 'submit', call });
    this.recordAccepted(accepted, made, isConsolidated);
  }

  private recordAccepted(accepted: AcceptedSubmit, made: readonly MadeDocument[], isConsolidated: boolean): void {
    const { memory, random } = this.options;
    remember(memory.batchIds, accepted.submissionBatchId);
    if (random.chance(FOLLOWED_SHARE))
      memory.followed.push({ submissionBatchId: accepted.submissionBatchId, polls: 0 });
    accepted.documents.forEach(({ documentId }) => remember(memory.documentIds, documentId));
    for (const { sent } of made) {
      if (sent.documentType === 'invoice') remember(memory.parents, { referenceId: sent.referenceId, isConsolidated });
    }
  }

  /** Polls a batch and remembers documents to cancel or resubmit. */
  private async poll(): Promise<void> {
    const { memory, random } = this.options;
    const [followed] = memory.followed.splice(random.integer(0, memory.followed.length - 1), 1);
    const { apiKey } = memory.tenant;
    const path = `/v1/saas/submissions/${followed.submissionBatchId}/status`;
    const outcome = await this.call({ method: 'GET', path, apiKey }, 'status');
    if (outcome.final === null) return;
    if (outcome.final.status !== 200) return this.recordUnexpected(outcome, new Set(), 'status');
    const { terminal, documents } = outcome.final.body as StatusResponse;
    if (!terminal && followed.polls < POLLS_MAX) {
      memory.followed.push({ ...followed, polls: followed.polls + 1 });
      return;
    }
    const { submissionBatchId } = followed;
    for (const { documentId, documentType, referenceId, submissionStatus, authorityStatus } of documents) {
      const document = { documentId, documentType, referenceId, submissionBatchId };
      if (authorityStatus === 'Valid') remember(memory.valid, document);
      const isEnded = submissionStatus === 'SubmitFailed' || ENDED_STATUSES.has(authorityStatus ?? '');
      if (isEnded) remember(memory.resubmittable, document);
    }
  }

  private async cancel(): Promise<void> {
    const { memory, random, history } = this.options;
    const [document] = memory.valid.splice(random.integer(0, memory.valid.length - 1), 1);
    const { documentId } = document;
    const call = this.post('/v1/einvoice/cancel', { documentId, cancellationReason: 'Chaos' });
    const outcome = await this.call(call, `cancel of ${documentId}`);
    const accepted = outcome.final?.status === 202 ? (outcome.final.body as AcceptedCancel) : null;
    history.add(memory.tenant.tenantId, {
      kind: 'cancel',
      key: call.key,
      answers: outcome.answers,
      documentId,
      accepted,
    });
    if (accepted === null) return this.recordUnexpected(outcome, CANCEL_REFUSALS, 'cancel');
    remember(memory.done, { operation: 'cancel', call });
    // A cancelled document may be resubmitted.
    memory.followed.push({ submissionBatchId: document.submissionBatchId, polls: 0 });
  }

  /** Reuses a key. The same body must be replayed and another body must be rejected. */
  private async repeat(): Promise<void> {
    const { memory, random, history } = this.options;
    const { operation, call } = random.pick(memory.done);
    const isSameBody = random.chance(0.7);
    const body = isSameBody ? call.body : JSON.stringify({ ...(JSON.parse(call.body ?? '{}') as object), extra: 1 });
    const outcome = await this.call({ ...call, body }, `repeated ${operation}`);
    const key = call.key ?? '';
    history.add(memory.tenant.tenantId, { kind: 'again', operation, key, isSameBody, answers: outcome.answers });
  }

  /** Requests a batch or document of another tenant. */
  private async probeOtherTenant(): Promise<void> {
    const { memory, random, others, history } = this.options;
    const victims = others.filter((other) => other !== memory && other.batchIds.length > 0);
    if (victims.length === 0) return;
    const victim = random.pick(victims);
    const call = random.chance(0.5)
      ? { method: 'GET' as const, path: `/v1/saas/submissions/${random.pick(victim.batchIds)}/status`, key: 'status' }
      : this.post('/v1/einvoice/cancel', { documentId: random.pick(victim.documentIds) });
    const outcome = await this.call({ ...call, apiKey: memory.tenant.apiKey }, 'request for a foreign id');
    history.add(memory.tenant.tenantId, { kind: 'foreign', key: call.key ?? '', answers: outcome.answers });
  }

  private async askTin(): Promise<void> {
    const { apiKey } = this.options.memory.tenant;
    const path = '/v1/einvoice/validate-taxpayer-tin/C9876543210?idType=BRN&idValue=202001234567';
    // Sent once, because 503 is a regular response while the authority is unavailable.
    await this.options.caller.once({ method: 'GET', path, apiKey });
  }

  private async call(call: HttpCall, what: string): Promise<Outcome> {
    const { caller, memory, onUnanswered, history } = this.options;
    const outcome = await caller.call(call);
    if (outcome.final === null) onUnanswered(what);
    const ids = idsIn(outcome.final?.text ?? '').filter((id) => !memory.seenIds.has(id));
    if (ids.length > 0) history.add(memory.tenant.tenantId, { kind: 'ids', ids });
    for (const id of ids) memory.seenIds.add(id);
    return outcome;
  }

  /** Records an error that the interface does not define for this call. */
  private recordUnexpected({ final }: Outcome, codes: ReadonlySet<string>, operation: string): void {
    if (final === null) return;
    const code = readCode(final.body) ?? '';
    if (codes.has(code) && (code !== 'validation_failed' || isAboutParents(final.body))) return;
    const what = `${operation} was answered ${final.status}: ${final.text.slice(0, 500)}`;
    this.options.history.add(this.options.memory.tenant.tenantId, { kind: 'unexpected', what });
  }

  private get memory(): TenantMemory {
    return this.options.memory;
  }

  private post(path: string, body: object): HttpCall & { key: string } {
    const { apiKey } = this.options.memory.tenant;
    return { method: 'POST', path, apiKey, key: randomUUID(), body: JSON.stringify(body) };
  }

  private buildNote(parentReferenceId: string, isConsolidated: boolean): DocumentRequest {
    return { documentType: 'credit_note', referenceId: this.createReference('CN'), isConsolidated, parentReferenceId };
  }

  private createReference(prefix = this.choosePrefix()): string {
    this.numbers += 1;
    return `${prefix}-${this.name}-${this.numbers}`;
  }

  private choosePrefix(): string {
    const { random } = this.options;
    return RESERVED.find(({ share }) => random.chance(share))?.prefix ?? 'INV';
  }
}

const POLLS_MAX = 20;
const ENDED_STATUSES: ReadonlySet<string> = new Set(['Invalid', 'Cancelled']);

interface StatusResponse {
  readonly terminal: boolean;
  readonly documents: readonly (KnownDocument & { submissionStatus: string; authorityStatus: string | null })[];
}

// Parents and credits change concurrently.
const SUBMIT_REFUSALS: ReadonlySet<string> = new Set([
  'validation_failed',
  'insufficient_credits',
  'duplicate_document',
]);
const CANCEL_REFUSALS: ReadonlySet<string> = new Set([
  'document_not_valid',
  'cancellation_in_progress',
  // The authority has rejected an earlier cancellation as too late (SIM-NOCANCEL).
  'cancellation_window_closed',
  'active_referencing_documents',
  'insufficient_credits',
]);

/** Returns whether all problems concern parents, which change concurrently. Other problems are unexpected. */
function isAboutParents(body: unknown): boolean {
  const { details = [] } = body as { details?: readonly { rule: string }[] };
  return details.length > 0 && details.every(({ rule }) => rule.startsWith('related_invoice_'));
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Returns the UUIDs of a response except its request id. */
function idsIn(text: string): string[] {
  return [...new Set(text.replace(/"requestId":"[^"]*"/, '').match(UUID) ?? [])];
}

/** Keeps only the latest items to limit memory. */
function remember<T>(memory: T[], item: T): void {
  memory.push(item);
  if (memory.length > REMEMBERED_MAX) memory.shift();
}
