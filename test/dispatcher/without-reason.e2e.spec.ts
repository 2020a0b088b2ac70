import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { runCli } from '../../src/processes/cli.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readStatus } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// A document is never shown as Invalid without a reason (docs/rules.md#statuses). If the authority states none, the
// service polls three times, then states its own reason and continues to poll.

const POLLS = 3;
const LOOKUPS = 15;
const POLL_SECONDS = 330;
const WATCH_SECONDS = 4_000;
const CODE = 'CV302';

const service = await startFileService();
const tenant = await createTenant(service);

interface Refused {
  readonly referenceId: string;
  read(): Promise<DocumentStatusDto>;
}

/** Sends a document that the authority rejects as invalid before the first poll. */
async function invalid(): Promise<Refused> {
  const referenceId = reference(`SIM-INVALID-${CODE}`);
  const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId })]);
  await service.tick('submit');
  return { referenceId, read: async () => (await readStatus(service, tenant, submissionBatchId)).documents[0] };
}

async function fault(name: string, { referenceId }: Refused, times: number): Promise<void> {
  await service.control('faults', [{ when: { api: 'details', referenceId }, fault: name, times }]);
}

async function pollAfter(): Promise<void> {
  await service.advance(POLL_SECONDS);
  while ((await service.tick('poll')) > 0);
}

describe.each([
  ['not-found', '404'],
  ['no-results', 'no validation results'],
])('an invalid document with details that return %s', (name, said) => {
  it('becomes Invalid after three polls with an explanation and the correlation id', async () => {
    const document = await invalid();
    await fault(name, document, 1_000);
    for (let poll = 1; poll < POLLS; poll += 1) {
      await pollAfter();
      expect(await document.read()).toMatchObject({ authorityStatus: 'Submitted', errors: [] });
    }
    await pollAfter();
    expect(await document.read()).toMatchObject({
      authorityStatus: 'Invalid',
      errors: [
        {
          code: 'invalid_without_reason',
          message: expect.stringContaining('without giving a reason') as string,
          hint: expect.stringMatching(/correlation id [0-9A-Z]{13}:[0-9A-F]{8}/) as string,
          pointer: null,
          authorityCode: null,
          authorityMessage: expect.stringContaining(said) as string,
        },
      ],
    });
  });

  it("gets the authority's reason from a later poll", async () => {
    const document = await invalid();
    await fault(name, document, POLLS + 1);
    for (let poll = 1; poll <= POLLS; poll += 1) await pollAfter();
    const { errors, version } = await withVersion(document);
    expect(errors.map(({ code }) => code)).toEqual(['invalid_without_reason']);
    await service.advance(WATCH_SECONDS);
    while ((await service.tick('poll')) > 0);
    expect((await withVersion(document)).version, 'asked again in vain changes nothing').toBe(version);
    await service.advance(WATCH_SECONDS);
    while ((await service.tick('poll')) > 0);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Invalid', errors: [{ authorityCode: CODE }] });
    expect((await withVersion(document)).version).toBe(version + 1);
  });

  it("gets only the authority's reason if it is available in time", async () => {
    const document = await invalid();
    await fault(name, document, POLLS - 1);
    for (let poll = 1; poll <= POLLS; poll += 1) await pollAfter();
    expect(await document.read()).toMatchObject({ authorityStatus: 'Invalid', errors: [{ authorityCode: CODE }] });
  });
});

it('requires an operator decision on a resent document that is invalid without a reason', async () => {
  await service.control('settings', { searchLagMs: 200_000 });
  const referenceId = reference(`SIM-INVALID-${CODE}`);
  await service.control('faults', [
    { when: { api: 'submit', referenceId }, fault: 'drop-after' },
    { when: { api: 'details', referenceId }, fault: 'not-found', times: 1_000 },
  ]);
  const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId })]);
  await service.tick('submit');
  for (let minute = 0; minute < 6; minute += 1) {
    await service.advance(61);
    await service.tick('reconcile');
  }
  await service.control('settings', { searchLagMs: 0 });
  for (let poll = 1; poll <= POLLS; poll += 1) await pollAfter();
  for (let lookup = 0; lookup < LOOKUPS; lookup += 1) {
    await service.advance(61);
    await service.tick('reconcile');
  }
  const [document] = (await readStatus(service, tenant, submissionBatchId)).documents;
  expect(document).toMatchObject({ authorityStatus: 'Submitted', errors: [], waiting: { code: 'in_doubt' } });
  const doubts = await service.owner.query(`SELECT due_at FROM authority_submission WHERE state = 'unknown'`);
  expect(doubts).toEqual([{ due_at: null }]);
});

describe('the adoption of a uuid that polls have confirmed', () => {
  async function doubtful(count: number): Promise<{ referenceIds: string[]; submissionId: string; uuids: string[] }> {
    await service.control('settings', { searchLagMs: 200_000 });
    const referenceIds = Array.from({ length: count }, () => reference(`SIM-INVALID-${CODE}`));
    await service.control('faults', [
      { when: { api: 'submit', referenceId: referenceIds[0] }, fault: 'drop-after' },
      ...referenceIds.map((referenceId) => ({
        when: { api: 'details', referenceId },
        fault: 'no-results',
        times: 1_000,
      })),
    ]);
    await accept(
      service,
      tenant,
      referenceIds.map((referenceId) => invoice({ referenceId })),
    );
    await service.tick('submit');
    for (let minute = 0; minute < 6; minute += 1) {
      await service.advance(61);
      await service.tick('reconcile');
    }
    await service.control('settings', { searchLagMs: 0 });
    for (let poll = 1; poll <= POLLS; poll += 1) await pollAfter();
    const attempts = await service.owner.query<{ submissionId: string; uuid: string; isConfirmed: boolean }[]>(
      `SELECT authority_submission_id AS "submissionId", authority_uuid AS uuid, uuid_confirmed AS "isConfirmed"
         FROM document_transaction WHERE reference_id = ANY ($1) ORDER BY position`,
      [referenceIds],
    );
    expect(attempts.map(({ isConfirmed }) => isConfirmed)).toEqual(referenceIds.map(() => true));
    return { referenceIds, submissionId: attempts[0].submissionId, uuids: attempts.map(({ uuid }) => uuid) };
  }

  async function adopt(submissionId: string, ...uuids: string[]): Promise<string> {
    let error = '';
    const environment = { ...service.settings, DATABASE_OWNER_URL: service.database.ownerUrl };
    await runCli(readConfiguration('operator', environment), ['queue', 'release', submissionId, '--adopt', ...uuids], {
      out: () => undefined,
      error: (text) => (error += text),
    });
    return error;
  }

  async function readStates(referenceIds: readonly string[]): Promise<string[]> {
    const rows = await service.owner.query<{ state: string }[]>(
      `SELECT s.state FROM document_transaction t
         JOIN authority_submission s ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
        WHERE t.reference_id = ANY ($1) ORDER BY t.position`,
      [referenceIds],
    );
    return rows.map(({ state }) => state);
  }

  it('continues to poll the document', async () => {
    const { referenceIds, submissionId, uuids } = await doubtful(1);
    expect(await readStates(referenceIds)).toEqual(['unknown']);
    expect(await adopt(submissionId, ...uuids)).toBe('');
    expect(await readStates(referenceIds)).toEqual(['accepted']);
  });

  it('can include another document of the call', async () => {
    const { referenceIds, submissionId, uuids } = await doubtful(2);
    await service.owner.query(
      `UPDATE document_transaction SET authority_submission_id = $2, authority_uuid = NULL, uuid_confirmed = false
        WHERE reference_id = $1`,
      [referenceIds[1], submissionId],
    );
    expect(await adopt(submissionId, ...uuids)).toBe('');
    expect(await readStates(referenceIds)).toEqual(['accepted', 'accepted']);
    const [{ uuid }] = await service.owner.query<{ uuid: string }[]>(
      'SELECT authority_uuid AS uuid FROM document_transaction WHERE reference_id = $1 AND uuid_confirmed',
      [referenceIds[1]],
    );
    expect(uuid).toBe(uuids[1]);
  });
});

it('polls an invalid document without a reason for 72 hours', async () => {
  const document = await invalid();
  await fault('not-found', document, 1_000);
  for (let poll = 1; poll <= POLLS; poll += 1) await pollAfter();
  expect(await readNextPoll(document)).not.toBeNull();
  await service.advance(73 * 3_600);
  while ((await service.tick('poll')) > 0);
  expect(await readNextPoll(document)).toBeNull();
});

describe('plain-text error', () => {
  it('is shown for a rejected document', async () => {
    const referenceId = reference('SIM-REJECT-CF349');
    await service.control('faults', [{ when: { api: 'submit', referenceId }, fault: 'error-as-text' }]);
    const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId })]);
    await service.tick('submit');
    const [document] = (await readStatus(service, tenant, submissionBatchId)).documents;
    expect(document).toMatchObject({ submissionStatus: 'SubmitFailed' });
    expect(document.errors[0].authorityMessage).toMatch(/\w{4}/);
    expect(document.errors[0].authorityMessage).not.toContain('without a reason');
  });

  it('is shown for an invalid document', async () => {
    const document = await invalid();
    await fault('error-as-text', document, 1);
    await pollAfter();
    const { authorityStatus, errors } = await document.read();
    expect(authorityStatus).toBe('Invalid');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      authorityCode: null,
      authorityMessage: expect.stringMatching(/\w{4}/) as string,
    });
  });
});

async function withVersion({ referenceId }: Refused): Promise<{ errors: { code: string }[]; version: number }> {
  const [row] = await service.owner.query<{ errors: { code: string }[]; version: number }[]>(
    'SELECT errors, version FROM document_transaction WHERE reference_id = $1',
    [referenceId],
  );
  return row;
}

async function readNextPoll({ referenceId }: Refused): Promise<Date | null> {
  const [{ due_at: nextPollAt }] = await service.owner.query<{ due_at: Date | null }[]>(
    `SELECT s.due_at FROM authority_submission s
       JOIN document_transaction t ON t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
      WHERE t.reference_id = $1`,
    [referenceId],
  );
  return nextPollAt;
}
