import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '../../bench/content/random.js';
import type { AuthorityCall } from '../chaos/checks/evidence.js';
import { waitForQuiescence, findLeftovers } from '../chaos/checks/quiescence.js';
import { judge, type Verdict } from '../chaos/checks/verdict.js';
import { Cluster } from '../chaos/cluster/cluster.js';
import { Caller, type HttpCall, type Outcome } from '../chaos/load/caller.js';
import { findDefectFile } from '../chaos/load/consumers.js';
import { makeDocument } from '../chaos/load/documents.js';
import { type AcceptedCancel, type AcceptedSubmit, History } from '../chaos/load/history.js';
import { type ChaosTenant, createTenant } from '../chaos/load/tenants.js';

const TIMES = { deadline: 2, lease: 3, grace: 2, secondLookup: 1 };
const SIMULATOR = {
  validationDelayMs: 0,
  visibilityDelayMs: 0,
  searchLagMs: 0,
  // Longer than the timeout of the caller.
  lateAnswerMs: 30_000,
  duplicateRules: false,
  checkTotals: true,
};
const TENANTS = 3;
const CREDITS = 1_000;
const UNTIL_MS_MAX = 40_000;
const POLL_MS = 10;
/** Limit for runs in which a bug leaves calls open permanently. */
const STALL_MS_MAX = 30_000;

/** Small cluster for a scripted run without random faults. */
export class Stage {
  private numbers = 0;
  private readonly unanswered: string[] = [];
  private readonly random = createRandom(1);
  private readonly givenUp = new AbortController();

  private constructor(
    readonly cluster: Cluster,
    readonly tenants: readonly ChaosTenant[],
    private readonly history: History,
    private readonly since: Date,
  ) {}

  static async open(dist: string, { hasConsumers = false }: { hasConsumers?: boolean }): Promise<Stage> {
    const since = new Date(Date.now() - 1_000);
    const cluster = await Cluster.start({
      dist,
      apis: 1,
      dispatchers: 0,
      times: TIMES,
      rateFactor: 0,
      simulator: SIMULATOR,
      hasConsumers,
    });
    // Without the defect, every event is eventually handled.
    if (hasConsumers) await rm(findDefectFile(cluster.directory));
    const client = await cluster.connect();
    const tenants: ChaosTenant[] = [];
    for (let number = 1; number <= TENANTS; number += 1) tenants.push(await createTenant(client, number, CREDITS));
    await client.end();
    return new Stage(cluster, tenants, new History(cluster.directory), since);
  }

  /** Submits one invoice, with retries. */
  async submit(tenant: ChaosTenant = this.tenants[0]): Promise<AcceptedSubmit> {
    this.numbers += 1;
    const request = { documentType: 'invoice', referenceId: `INV-${this.numbers}`, isConsolidated: false } as const;
    const { body, sent } = makeDocument(this.random, request);
    const call = this.post(tenant, 'submit', { submission_type: 'non-consolidated', documents: [body] });
    const { final, answers } = await this.call(call);
    const accepted = final?.status === 200 ? (final.body as AcceptedSubmit) : null;
    this.history.add(tenant.tenantId, { kind: 'submit', key: call.key, answers, documents: [sent], accepted });
    if (accepted === null) throw new Error(`Submit: ${final?.status} ${final?.text}`);
    return accepted;
  }

  async cancel(documentId: string, tenant: ChaosTenant = this.tenants[0]): Promise<AcceptedCancel> {
    const call = this.post(tenant, 'cancel', { documentId });
    const { final, answers } = await this.call(call);
    const accepted = final?.status === 202 ? (final.body as AcceptedCancel) : null;
    this.history.add(tenant.tenantId, { kind: 'cancel', key: call.key, answers, documentId, accepted });
    if (accepted === null) throw new Error(`Cancel: ${final?.status} ${final?.text}`);
    return accepted;
  }

  /** Requests a batch of another tenant. */
  async probeOtherTenant(tenant: ChaosTenant, submissionBatchId: string): Promise<void> {
    const path = `/v1/saas/submissions/${submissionBatchId}/status`;
    const { answers } = await this.call({ method: 'GET', path, apiKey: tenant.apiKey });
    this.history.add(tenant.tenantId, { kind: 'foreign', key: submissionBatchId, answers });
  }

  /** Waits until a statement returns at least one row. */
  untilRow(text: string): Promise<void> {
    return this.until(`a row of: ${text.trim()}`, async () => !(await this.hasNoRow(text)));
  }

  async hasNoRow(text: string): Promise<boolean> {
    return (await this.cluster.query(text)).length === 0;
  }

  /** Waits until the authority has accepted this many documents. */
  untilAccepted(documents: number): Promise<void> {
    return this.until(`${documents} documents at the authority`, async () => {
      let count = 0;
      for await (const document of this.cluster.simulator.wireLog()) if (document.uuid !== '') count += 1;
      return count >= documents;
    });
  }

  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const giveUpAt = performance.now() + UNTIL_MS_MAX;
    while (!(await holds())) {
      if (performance.now() > giveUpAt) throw new Error(`Waited in vain for ${what}`);
      await wait(POLL_MS);
    }
  }

  /** Waits for all outcomes, as far as possible, and runs the checks. */
  async judge(): Promise<Verdict> {
    await waitForQuiescence(this.cluster, { stalledMsMax: STALL_MS_MAX });
    this.givenUp.abort();
    await this.history.close();
    const calls: AuthorityCall[] = [];
    for await (const call of this.cluster.simulator.calls()) calls.push(call);
    const leftovers = await findLeftovers(this.cluster);
    const shared = { calls, leftovers, violations: [], departures: [], unanswered: this.unanswered };
    const { tenants, history, since } = this;
    return judge(this.cluster, { tenants, history, since, shared });
  }

  close(): Promise<void> {
    return this.cluster.destroy();
  }

  private async call(call: HttpCall): Promise<Outcome> {
    const urls = this.cluster.apis.map(({ url }) => url);
    const outcome = await new Caller(urls, this.random, this.givenUp.signal).call(call);
    if (outcome.final === null) this.unanswered.push(call.path);
    return outcome;
  }

  private post(tenant: ChaosTenant, operation: string, body: object): HttpCall & { key: string } {
    const path = `/v1/einvoice/${operation}`;
    return { method: 'POST', path, apiKey: tenant.apiKey, key: randomUUID(), body: JSON.stringify(body) };
  }
}
