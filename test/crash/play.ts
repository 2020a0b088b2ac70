import type { SubmissionStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { insertTenant, type TestTenant } from '../support/tenants.js';
import {
  attempt,
  buildCancel,
  type ClientResponse,
  type ClientRequest,
  buildSubmit,
  retryUntilAnswered,
} from './client.js';
import type { Stage } from './stage.js';

export type FinalStatus = 'Valid' | 'Invalid' | 'Cancelled' | 'SubmitFailed';

/** Accepted call and its response. */
interface AcknowledgedRequest {
  readonly call: ClientRequest;
  readonly answer: ClientResponse;
}

/** Document of a status response. */
export interface ShownDocument {
  readonly documentId: string;
  readonly referenceId: string;
  readonly submissionStatus: string;
  readonly authorityStatus: string | null;
  readonly authorityUuid: string | null;
}

const CREDITS = 1_000;

/** State of a running case: its tenant, the acknowledged calls and the expected outcomes. */
export class Play {
  readonly acknowledged: AcknowledgedRequest[] = [];
  /** Expected outcome by document number. */
  readonly expected = new Map<string, FinalStatus>();
  readonly creditsGranted = CREDITS;

  private constructor(
    readonly stage: Stage,
    readonly tenant: TestTenant,
  ) {}

  static async begin(stage: Stage): Promise<Play> {
    await stage.clear();
    return new Play(stage, await insertTenant(stage.owner, { credits: CREDITS }));
  }

  /** Submits documents through the API without failpoints. @throws Error unless they are accepted */
  async submit(documents: readonly Record<string, unknown>[], ends: FinalStatus = 'Valid'): Promise<ClientRequest> {
    const call = buildSubmit(documents);
    for (const { referenceId } of documents) this.expected.set(String(referenceId), ends);
    await this.send(call);
    return call;
  }

  /** Sends a call to the API without failpoints. @throws Error unless it is accepted */
  async send(call: ClientRequest): Promise<void> {
    this.acknowledge(call, await retryUntilAnswered(this.stage.api.url, this.tenant, call));
  }

  /** Submits an invoice, waits until it is valid, and returns its number. */
  async issue(): Promise<string> {
    const referenceId = reference();
    await this.submit([invoice({ referenceId })]);
    await this.stage.until('the document is valid', async () => {
      const [document] = await this.documents();
      return document.authorityStatus === 'Valid';
    });
    return referenceId;
  }

  /** Builds a cancellation of the document with this number. */
  async buildCancelFor(referenceId: string): Promise<ClientRequest> {
    const document = (await this.documents()).find((shown) => shown.referenceId === referenceId);
    if (document === undefined) throw new Error(`There is no document ${referenceId}`);
    this.expected.set(referenceId, 'Cancelled');
    return buildCancel(document.documentId);
  }

  /** Records an accepted call. @throws Error if the response is an error */
  acknowledge(call: ClientRequest, response: ClientResponse): void {
    if (response.status >= 300) throw new Error(`${call.path}: ${response.status} ${response.text}`);
    this.acknowledged.push({ call, answer: response });
  }

  /** Reads the status of all documents of the acknowledged batches. */
  async documents(): Promise<ShownDocument[]> {
    const batches = this.acknowledged.filter(({ call }) => call.path.endsWith('/submit'));
    const shown = batches.map(async ({ answer }) => {
      const { submissionBatchId } = JSON.parse(answer.text) as { submissionBatchId: string };
      const path = `/v1/saas/submissions/${submissionBatchId}/status`;
      const status = await attempt(this.stage.api.url, this.tenant, { method: 'GET', path, key: '' });
      if (status?.status !== 200) throw new Error(`Status of an acknowledged batch: ${status?.status} ${status?.text}`);
      return (JSON.parse(status.text) as SubmissionStatusDto).documents;
    });
    return (await Promise.all(shown)).flat();
  }

  /** Returns whether the dispatcher has no work left and no calls in doubt. */
  async isQuiescent(): Promise<boolean> {
    const { rows } = await this.stage.owner.query<{ busy: boolean }>(`
      SELECT EXISTS (SELECT FROM document_transaction
                      WHERE submission_status IN ('Queued', 'Processing') OR authority_status = 'Submitted')
          OR EXISTS (SELECT FROM document_cancellation WHERE status IN ('Queued', 'Processing'))
          OR EXISTS (SELECT FROM authority_submission WHERE state IN ('sending', 'unknown'))
          OR EXISTS (SELECT FROM event_delivery) AS busy`);
    return !rows[0].busy;
  }
}

/** Builds an invoice and a credit note, which waits until the invoice is valid. */
export function invoiceWithNote(): Record<string, unknown>[] {
  const referenceId = reference();
  return [invoice({ referenceId }), creditNote({ referenceId })];
}
