import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { runCli } from '../../src/processes/cli.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, issue, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Elapsed time alone must not cause a second send, a Failed status or an offer to resend, because the database clock
// may have jumped. The authority's duplicate rules are off, so that only this service prevents duplicates.

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const LOOKUP_SECONDS = 61;
const LOOKUPS_MIN = 15;
const STEP_SECONDS = 20;
/** The search shows a document just before the second lookup, one minute after the first. */
const SEARCH_LAG_SECONDS = 115;
const LOOKUPS_MAX = 60;

const service = await startFileService({ simulator: { duplicateRules: false, tokenSeconds: 100 * 86_400 } });
let tenant: TestTenant;
beforeAll(async () => {
  // The first call of a dispatcher measures the authority's clock.
  await issue(service, await createTenant(service), yesterdays());
});
beforeEach(async () => {
  await service.owner.query('DELETE FROM authority_clock WHERE abs(difference_seconds) > 10');
  await service.owner.query('DELETE FROM call_budget');
  // Polls for documents of earlier tests would delay those of this one.
  await service.owner.query(
    `UPDATE authority_submission SET state = 'settled', due_at = NULL WHERE state = 'accepted'`,
  );
  tenant = await createTenant(service);
  await setSearchLag(100 * HOUR_SECONDS);
});

/** Moves only the database clock. */
async function jump(seconds: number): Promise<void> {
  await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
}

async function setSearchLag(seconds: number): Promise<void> {
  await service.control('settings', { searchLagMs: seconds * 1_000 });
}

async function fault(name: string): Promise<void> {
  await service.control('faults', [{ when: { api: 'submit' }, fault: name, times: 1 }]);
}

/** An invoice dated in the past by both clocks, because the authority rejects a future issue time. */
function yesterdays(referenceId = reference()): Record<string, unknown> {
  return invoice({ referenceId, document_date: toMalaysianDate(new Date(Date.now() - 86_400_000)) });
}

interface Sent {
  read(): Promise<DocumentStatusDto>;
  countReceived(): Promise<number>;
}

async function send(name: string): Promise<Sent> {
  const referenceId = reference();
  const { submissionBatchId } = await accept(service, tenant, [yesterdays(referenceId)]);
  if (name !== 'none') await fault(name);
  await service.tick('submit');
  return {
    read: async () => (await readStatus(service, tenant, submissionBatchId)).documents[0],
    countReceived: async () => (await service.wireLog()).filter(({ number }) => number === referenceId).length,
  };
}

async function lookUp(times: number): Promise<void> {
  for (let lookup = 0; lookup < times; lookup += 1) {
    await service.advance(LOOKUP_SECONDS);
    await service.tick('housekeeping');
    await service.tick('reconcile');
  }
}

async function expectValidOnce({ read, countReceived }: Sent): Promise<void> {
  for (let lookup = 0; lookup < LOOKUPS_MAX && (await read()).authorityStatus !== 'Valid'; lookup += 1) {
    await lookUp(1);
    await service.tick('poll');
  }
  expect(await read()).toMatchObject({ authorityStatus: 'Valid', waiting: null });
  expect(await countReceived()).toBe(1);
}

interface Doubt {
  readonly submissionId: string;
  readonly sends: number;
  readonly nextLookAt: string | null;
  readonly decisions: readonly string[];
}

async function queue(...words: string[]): Promise<{ out: string; error: string }> {
  const ended = { out: '', error: '' };
  const { ownerUrl } = service.database;
  const configuration = readConfiguration('operator', { ...service.settings, DATABASE_OWNER_URL: ownerUrl });
  await runCli(configuration, ['queue', ...words], {
    out: (text) => (ended.out += text),
    error: (text) => (ended.error += text),
  });
  return ended;
}

async function readDoubt(): Promise<Doubt> {
  const { doubts } = JSON.parse((await queue('show', '--json')).out) as { doubts: (Doubt & { tenantId: string })[] };
  const own = doubts.filter(({ tenantId }) => tenantId === tenant.tenantId);
  expect(own).toHaveLength(1);
  return own[0];
}

const IN_DOUBT = { submissionStatus: 'Processing', errors: [], waiting: { code: 'in_doubt' } };
const JUMPS = [LOOKUP_SECONDS, 20 * MINUTE_SECONDS, 2 * HOUR_SECONDS].flatMap((seconds) => [seconds, -seconds]);
// Without a jump, the lookups happen in steps 3 and 6.
const STEPS = [0, 1, 3, 4, 5, 6];
const STEPS_OF_DOUBT = 8;
const RETURNED_JUMPS = [2 * HOUR_SECONDS, -2 * HOUR_SECONDS, -20 * MINUTE_SECONDS];

describe('a jump of the database clock', () => {
  it.each(JUMPS.flatMap((seconds) => STEPS.map((step) => [seconds, step])))(
    'by %i seconds in step %i after a lost response causes no resend',
    async (seconds, jumpStep) => {
      await setSearchLag(SEARCH_LAG_SECONDS);
      if (jumpStep === 0) await jump(seconds);
      const sent = await send('drop-after');
      for (let step = 1; step <= STEPS_OF_DOUBT; step += 1) {
        if (step === jumpStep) await jump(seconds);
        await service.advance(STEP_SECONDS);
        await service.tick('reconcile');
      }
      await expectValidOnce(sent);
      await jump(-seconds);
    },
  );

  it.each(RETURNED_JUMPS.flatMap((seconds) => STEPS.map((step) => [seconds, step])))(
    'by %i seconds in step %i after a lost response causes no resend, even if it is reversed in the next step',
    async (seconds, jumpStep) => {
      await setSearchLag(SEARCH_LAG_SECONDS);
      if (jumpStep === 0) await jump(seconds);
      const sent = await send('drop-after');
      for (let step = 1; step <= STEPS_OF_DOUBT; step += 1) {
        if (step === jumpStep) await jump(seconds);
        if (step === jumpStep + 1) await jump(-seconds);
        await service.advance(STEP_SECONDS);
        await service.tick('reconcile');
      }
      await expectValidOnce(sent);
    },
  );

  it('that hides the two hours since the first send causes no resend', async () => {
    const sent = await send('drop-after');
    await service.advance(2.5 * HOUR_SECONDS);
    await jump(-2 * HOUR_SECONDS);
    await lookUp(5);
    expect(await readDoubt()).toMatchObject({ sends: 1 });
    await setSearchLag(0);
    await expectValidOnce(sent);
    await jump(2 * HOUR_SECONDS);
  });

  it('that cuts short the Retry-After of a 422 causes no resend', async () => {
    await service.control('settings', { duplicateRules: true });
    const sent = await send('drop-after');
    await lookUp(2);
    expect(await readDoubt()).toMatchObject({ sends: 2 });
    await jump(9 * MINUTE_SECONDS);
    await lookUp(3);
    expect(await readDoubt()).toMatchObject({ sends: 2 });
    await service.control('settings', { duplicateRules: false });
    await setSearchLag(0);
    await expectValidOnce(sent);
    await jump(-9 * MINUTE_SECONDS);
  });
});

describe.each([20 * MINUTE_SECONDS, 2 * HOUR_SECONDS])(
  'a clock that is set back by %i seconds for 20 seconds',
  (seconds) => {
    async function setBackForStep(): Promise<void> {
      await jump(-seconds);
      for (const loop of ['housekeeping', 'reconcile'] as const) await service.tick(loop);
      await service.advance(STEP_SECONDS);
      await service.tick('reconcile');
      await jump(seconds);
    }

    it('does not hide a document in doubt from later lookups', async () => {
      const sent = await send('drop-after');
      await setBackForStep();
      await lookUp(LOOKUPS_MIN + 5);
      expect(await readDoubt()).toMatchObject({
        nextLookAt: expect.any(String) as string,
        decisions: ['adopt'],
        sends: 1,
      });
      await setSearchLag(0);
      await expectValidOnce(sent);
    });

    it('does not fail a document after a rejected resend', async () => {
      const sent = await send('drop-after');
      await fault('rejected');
      await lookUp(2);
      await setBackForStep();
      await setSearchLag(0);
      await lookUp(LOOKUPS_MIN + 1);
      await expectValidOnce(sent);
    });
  },
);

describe('a Valid document', () => {
  async function poll(seconds: number): Promise<void> {
    await service.advance(seconds);
    await service.tick('housekeeping');
    while ((await service.tick('poll')) > 0);
  }

  it('is polled again after a poll with a clock that was 80 hours fast', async () => {
    const sent = await send('none');
    await poll(MINUTE_SECONDS);
    const { authorityStatus, authorityUuid } = await sent.read();
    expect(authorityStatus).toBe('Valid');
    await service.advance(HOUR_SECONDS);
    await jump(80 * HOUR_SECONDS);
    while ((await service.tick('poll')) > 0);
    await jump(-80 * HOUR_SECONDS);
    await service.control('portal', { uuid: authorityUuid, action: 'cancel' });
    for (let hour = 0; hour < 3; hour += 1) await poll(HOUR_SECONDS);
    expect(await sent.read()).toMatchObject({ authorityStatus: 'Cancelled' });
  });

  it('gets its validation time even if it was submitted with a clock that was 25 hours fast', async () => {
    await jump(25 * HOUR_SECONDS);
    const sent = await send('none');
    await jump(-25 * HOUR_SECONDS);
    for (let minute = 0; minute < 10; minute += 1) await poll(MINUTE_SECONDS);
    expect(await sent.read()).toMatchObject({ authorityStatus: 'Valid', validatedAt: expect.any(String) as string });
  });
});

describe('a document in doubt with a rejected resend', () => {
  it.each([20 * MINUTE_SECONDS, 2 * HOUR_SECONDS, -2 * HOUR_SECONDS])(
    'stays in doubt until 15 lookups have not found it, even if the clock moves by %i seconds',
    async (seconds) => {
      const sent = await send('drop-after');
      await fault('rejected');
      await lookUp(2);
      await jump(seconds);
      await lookUp(LOOKUPS_MIN - 1);
      expect(await sent.read()).toMatchObject(IN_DOUBT);
      expect((await readDoubt()).nextLookAt).not.toBeNull();
      await setSearchLag(0);
      await expectValidOnce(sent);
      await jump(-seconds);
    },
  );
});

describe('a call in doubt', () => {
  it('cannot be sent again after a lookup with a clock that was two hours fast', async () => {
    const sent = await send('drop-after');
    await jump(2 * HOUR_SECONDS);
    await lookUp(1);
    await jump(-2 * HOUR_SECONDS);
    await service.tick('housekeeping');
    const doubt = await readDoubt();
    expect(doubt).toMatchObject({ nextLookAt: expect.any(String) as string, decisions: ['adopt'] });
    for (const decision of ['--resend', '--fail']) {
      expect((await queue('release', doubt.submissionId, decision)).error).toContain('still looked up');
    }
    await setSearchLag(0);
    await expectValidOnce(sent);
  });

  it('cannot be released after the clock has jumped two hours ahead', async () => {
    const sent = await send('drop-after');
    await jump(2 * HOUR_SECONDS);
    const { submissionId } = await readDoubt();
    for (const decision of ['--resend', '--fail']) {
      expect((await queue('release', submissionId, decision)).error).toContain('No dispatcher has looked up');
    }
    await setSearchLag(0);
    await lookUp(1);
    await expectValidOnce(sent);
    await jump(-2 * HOUR_SECONDS);
  });

  it('requires an operator decision only after 15 lookups, even if the clock has jumped two hours ahead', async () => {
    await send('drop-after');
    await jump(2 * HOUR_SECONDS);
    await lookUp(LOOKUPS_MIN - 1);
    expect((await readDoubt()).nextLookAt).not.toBeNull();
    await lookUp(1);
    expect(await readDoubt()).toMatchObject({ nextLookAt: null, sends: 1 });
    await jump(-2 * HOUR_SECONDS);
  });

  it('does not count lookups from before a resend that crashed', async () => {
    await send('drop-after');
    await jump(2 * HOUR_SECONDS);
    await lookUp(LOOKUPS_MIN - 1);
    await service.owner.query(
      `UPDATE authority_submission SET state = 'sending', sends = 2, owner = id, lease_until = service_now(), due_at = NULL
        WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    await lookUp(LOOKUPS_MIN - 1);
    expect((await readDoubt()).nextLookAt).not.toBeNull();
    await jump(-2 * HOUR_SECONDS);
  });

  it('does not count a lookup without a search', async () => {
    await send('drop-after');
    await jump(2 * HOUR_SECONDS);
    await service.control('faults', [{ when: { api: 'search' }, fault: 'http-500-before', times: LOOKUPS_MIN }]);
    for (let lookup = 0; lookup < LOOKUPS_MIN; lookup += 1) {
      await lookUp(1);
      // Failed searches would delay the next ones.
      await service.owner.query('DELETE FROM call_budget');
    }
    await lookUp(1);
    expect((await readDoubt()).nextLookAt).not.toBeNull();
    await jump(-2 * HOUR_SECONDS);
  });

  it('is resent within 20 minutes even after a first lookup with a fast clock', async () => {
    const sent = await send('drop-before');
    await jump(2 * HOUR_SECONDS);
    await lookUp(1);
    await jump(-2 * HOUR_SECONDS);
    await lookUp(19);
    expect(await sent.countReceived()).toBe(1);
    await expectValidOnce(sent);
  });
});
