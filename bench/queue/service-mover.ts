import { setTimeout as wait } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { createDataSource } from '../../src/database/data-source.js';
import { CALL_DOCUMENTS_MAX, claimSubmission } from '../../src/dispatcher/submit/claim.js';
import { settleSubmission } from '../../src/dispatcher/queue/settle.js';
import { type LoadResult, summariseMoves } from '../measure/load-result.js';
import { serveTasks } from '../processes/serve-tasks.js';
import type { MoveTask } from './move-task.js';
import type { ClaimedSubmission } from '../../src/dispatcher/queue/claimed-submission.js';

// Runs the dispatcher's claim and settle without the authority call between them.

const TIMES = {
  authorityDeadlineSeconds: 60,
  dispatchLeaseSeconds: 180,
  reconcileGraceSeconds: 60,
  reconcileSecondLookupSeconds: 60,
};
const CLAIM = {
  environment: 'sandbox',
  clientId: 'bench',
  leaseSeconds: 180,
  documentsMax: CALL_DOCUMENTS_MAX,
  signer: null,
} as const;
// Pause while other claims hold the last tenant queues.
const PAUSE_MS = 2;

serveTasks(async ({ databaseUrl, workers, documents, secondsMax }: MoveTask): Promise<LoadResult> => {
  const settings = { url: databaseUrl, poolSize: workers, applicationName: 'bench-queue' };
  const dataSource = await createDataSource(settings).initialize();
  const owner = uuidv7();
  const callsMs: number[] = [];
  let moved = 0;
  const startedAt = performance.now();
  const work = async (): Promise<void> => {
    while (moved < documents && performance.now() - startedAt < secondsMax * 1_000) {
      const beganAt = performance.now();
      const submission = await dataSource.transaction((tx) => claimSubmission(tx, { ...CLAIM, owner }));
      // Unsigned documents never need a login first.
      if (submission === null || !('members' in submission)) {
        await wait(PAUSE_MS);
        continue;
      }
      const outcome = buildAcceptance(submission);
      await dataSource.transaction((tx) => settleSubmission(tx, { submission, outcome, isTrial: false, times: TIMES }));
      moved += submission.members.length;
      callsMs.push(performance.now() - beganAt);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  const durationMs = performance.now() - startedAt;
  await dataSource.destroy();
  return summariseMoves(moved, callsMs, durationMs);
});

function buildAcceptance({
  submissionId,
  members,
}: ClaimedSubmission): Parameters<typeof settleSubmission>[1]['outcome'] {
  return {
    kind: 'accepted',
    submissionUid: toAuthorityId(submissionId),
    accepted: members.map(({ referenceId, transactionId }) => ({
      referenceId,
      authorityUuid: toAuthorityId(transactionId),
    })),
    rejected: [],
    correlationId: 'bench',
  };
}

/** Returns an id with the same length as the authority's ids. */
function toAuthorityId(id: string): string {
  return id.replaceAll('-', '').slice(-26).toUpperCase();
}
