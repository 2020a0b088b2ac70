import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { armFailpoints } from '../../src/common/failpoints/failpoints.js';
import { type DispatcherReplica, dispatcherSettings, startReplica } from '../dispatcher/replica.js';
import { accept, cancel, createTenant, issue, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import {
  findDeliveryProblems,
  readRecorded,
  type Recorded,
  RECORDER_TABLE,
  recorderFailures,
  RecorderModule,
  RECORDERS,
} from '../support/event-recorder.js';
import { startFileService } from '../support/file-service.js';
import { countRuns, createRandom, RANDOM_SEED } from '../support/random.js';
import { until } from '../support/until.js';

// docs/decisions/0073-what-happens-to-a-document.md

const service = await startFileService({ extensions: [RecorderModule] });
await service.owner.query(RECORDER_TABLE);
const query = (text: string): Promise<unknown[]> => service.owner.query(text);
const DOCUMENTS = 12;
/** Number of concurrent ticks of a process. */
const DELIVER_TICKS = [1, 2, 3, 4];
const never = (): boolean => false;

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(service);
});
afterEach(() => {
  recorderFailures.isFailing = never;
  armFailpoints(new Map());
});

/** Submits documents with every outcome, cancels one and resubmits one. */
async function playDocuments(): Promise<void> {
  const referenceId = reference();
  const invalid = invoice({ referenceId: reference('SIM-INVALID-CV302') });
  const rejected = invoice({ referenceId: reference('SIM-REJECT-CF349') });
  const rest = Array.from({ length: DOCUMENTS - 4 }, () => invoice());
  const documents = [invoice({ referenceId }), creditNote({ referenceId }), invalid, rejected, ...rest];
  const { documents: accepted } = await accept(service, tenant, documents);
  await settleWithoutDelivery();
  expect((await cancel(service, tenant, { documentId: accepted[DOCUMENTS - 1].documentId })).status).toBe(202);
  await accept(service, tenant, [invalid]);
  await settleWithoutDelivery();
}

async function settleWithoutDelivery(): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    for (const loop of service.loops.filter((name) => name !== 'deliver')) await service.tick(loop);
    await service.advance(5);
  }
}

/** Runs the loop on several replicas until no delivery is left, advancing the clock in between. */
async function deliverAll(replicas: readonly Pick<DispatcherReplica, 'tick'>[]): Promise<void> {
  for (let round = 0; round < 400; round += 1) {
    await Promise.all(replicas.flatMap((replica) => [replica.tick('deliver'), replica.tick('deliver')]));
    if ((await countDeliveries()) === 0) return;
    await service.advance(20);
  }
  throw new Error(`${await countDeliveries()} deliveries are left`);
}

async function countDeliveries(consumer = ''): Promise<number> {
  const [{ count }] = await service.owner.query<{ count: number }[]>(
    'SELECT count(*)::int AS count FROM event_delivery WHERE starts_with(consumer, $1)',
    [consumer],
  );
  return count;
}

async function issueWithoutDelivery(): ReturnType<typeof accept> {
  const batch = await accept(service, tenant, [invoice()]);
  await settleWithoutDelivery();
  return batch;
}

async function withReplica<T>(work: (replica: DispatcherReplica) => Promise<T>): Promise<T> {
  const replica = await startReplica(dispatcherSettings(service, service.simulator.url), [RecorderModule]);
  try {
    return await work(replica);
  } finally {
    await replica.close();
  }
}

async function recordedOf(consumer: string, documentId: string): Promise<Recorded[]> {
  const recorded = await readRecorded(query);
  return recorded.filter((each) => each.consumer === consumer && each.documentId === documentId);
}

function namesOf(recorded: readonly Recorded[]): string[] {
  return recorded.map(({ event }) =>
    event.kind === 'cancellation'
      ? `cancellation ${event.to}`
      : (event.to.authorityStatus ?? event.to.submissionStatus),
  );
}

const WHOLE_LIFE = ['Queued', 'Processing', 'Submitted', 'Valid'];

describe('the events of a document', () => {
  it('are delivered once and in order to each consumer', async () => {
    await playDocuments();
    await withReplica((replica) => deliverAll([service, replica]));
    expect(await findDeliveryProblems(query)).toEqual([]);
    const recorded = await readRecorded(query);
    for (const consumer of RECORDERS) {
      // Most documents are accepted, claimed, sent and decided; one is cancelled.
      expect(recorded.filter((each) => each.consumer === consumer).length).toBeGreaterThan(DOCUMENTS * 3);
    }
  });

  it('contain the statuses of the API', async () => {
    const { documents } = await issue(service, tenant, invoice());
    const [{ documentId, transactionId, referenceId }] = documents;
    await cancel(service, tenant, { documentId });
    await service.settle();
    await deliverAll([service]);
    const recorded = await recordedOf('recorder-one', documentId);
    const known = { tenantId: tenant.tenantId, environment: 'sandbox', documentId, transactionId, referenceId };
    for (const { event } of recorded) expect(event).toMatchObject({ ...known, documentType: 'invoice' });
    const [accepted, , submitted] = recorded.map(({ event }) => event);
    expect(accepted).toMatchObject({
      kind: 'status',
      from: null,
      to: { submissionStatus: 'Queued', authorityStatus: null },
      version: 1,
      cause: 'accepted',
      correlationId: null,
    });
    expect(submitted).toMatchObject({
      from: { submissionStatus: 'Processing', authorityStatus: null },
      to: { submissionStatus: 'Submitted', authorityStatus: 'Submitted' },
      cause: 'submit_accepted',
      correlationId: expect.any(String) as string,
    });
    const ofCancellation = recorded.map(({ event }) => event).filter((event) => event.kind === 'cancellation');
    expect(ofCancellation.map(({ from, to }) => [from, to])).toEqual([
      [null, 'Queued'],
      ['Queued', 'Processing'],
      ['Processing', 'Completed'],
    ]);
    expect(namesOf(recorded)).toEqual([
      ...WHOLE_LIFE,
      'cancellation Queued',
      'cancellation Processing',
      'Cancelled',
      'cancellation Completed',
    ]);
  });

  it('are delivered in order despite random consumer failures', async () => {
    const random = createRandom(RANDOM_SEED);
    for (let run = 0; run < countRuns(1); run += 1) {
      await playDocuments();
      let failures = 0;
      recorderFailures.isFailing = () => {
        const isFailing = random() < 0.4;
        failures += Number(isFailing);
        return isFailing;
      };
      await withReplica((replica) => deliverAll([service, replica]));
      expect(failures).toBeGreaterThan(DOCUMENTS);
      expect(await findDeliveryProblems(query)).toEqual([]);
    }
  });

  it('are delivered to one consumer while another hangs', async () => {
    await accept(service, tenant, [invoice(), invoice(), invoice(), invoice(), invoice()]);
    let hanging = 0;
    let resume = (): void => undefined;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    recorderFailures.isFailing = async (consumer) => {
      if (consumer === 'recorder-two') return false;
      hanging += 1;
      await resumed;
      return false;
    };
    const ticks = DELIVER_TICKS.map(() => service.tick('deliver'));
    try {
      await until('the second consumer has its events', async () => (await countDeliveries('recorder-two')) === 0);
      // One tick must remain free, and the last one may not have started.
      expect(hanging).toBeGreaterThan(0);
      expect(hanging).toBeLessThan(DELIVER_TICKS.length);
    } finally {
      resume();
      await Promise.all(ticks);
    }
  });

  it('wait for a dispatcher that runs their consumer', async () => {
    const { documents } = await issueWithoutDelivery();
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const without = await startReplica(dispatcherSettings(service, service.simulator.url));
    try {
      expect(warn.mock.calls.map(([line]) => (line as { consumer?: string }).consumer)).toEqual([...RECORDERS]);
      expect(await without.tick('deliver')).toBe(0);
    } finally {
      warn.mockRestore();
      await without.close();
    }
    await deliverAll([service]);
    for (const consumer of RECORDERS) {
      expect(namesOf(await recordedOf(consumer, documents[0].documentId))).toEqual(WHOLE_LIFE);
    }
  });

  it.each(['deliver.after_claim', 'deliver.after_handle', 'deliver.before_fail'] as const)(
    'are delivered when the lease expires after a crash at %s',
    async (failpoint) => {
      let failures = failpoint === 'deliver.before_fail' ? 1 : 0;
      await playDocuments();
      recorderFailures.isFailing = () => (failures -= 1) >= 0;
      armFailpoints(new Map([[failpoint, 'throw']]));
      // The crash skips the rest of this tick. Another process runs the next tick.
      await service.tick('deliver').catch((error: unknown) => expect(String(error)).toContain(failpoint));
      await withReplica((replica) => deliverAll([replica]));
      expect(await findDeliveryProblems(query)).toEqual([]);
    },
  );
});
