import { beforeEach, describe, expect, it } from 'vitest';
import type { DismissedDto, NeedsActionDto } from '../../src/dashboard-api/needs-action/dto/needs-action.dto.js';
import type { TransactionPageDto } from '../../src/dashboard-api/transactions/dto/transaction-row.dto.js';
import type { TransactionDto } from '../../src/dashboard-api/transactions/dto/transaction.dto.js';
import { accept, createTenant, issue, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import type { Problem } from '../support/people.js';

const service = await startFileService({ environments: ['sandbox', 'production'] });

let tenant: TestTenant;
let member: Browser;
let basePath: string;
beforeEach(async () => {
  tenant = await createTenant(service, { credits: 100 });
  member = await signUpInto(service, tenant.tenantId, 'member');
  basePath = `/organisations/${tenant.tenantId}/sandbox`;
});

/** Submits invoices in one batch and waits for their outcomes. */
function send(...references: string[]) {
  return issue(service, tenant, ...references.map((referenceId) => invoice({ referenceId })));
}

async function read<T>(path: string, browser = member): Promise<T> {
  const response = await browser.get<T>(path);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

const needsAction = (browser = member) => read<NeedsActionDto>(`${basePath}/needs-action`, browser);

async function list(query: string): Promise<string[]> {
  const { items } = await read<TransactionPageDto>(`${basePath}/transactions?${query}`);
  return items.map(({ referenceId }) => referenceId);
}

async function find(referenceId: string): Promise<TransactionDto> {
  const { items } = await read<TransactionPageDto>(`${basePath}/transactions?reference=${referenceId}`);
  return read<TransactionDto>(`${basePath}/transactions/${items[0].transactionId}`);
}

async function dismiss(referenceId: string, { reason = 'Known', browser = member } = {}) {
  const { transactionId } = await find(referenceId);
  return browser.post<DismissedDto & Problem>(`${basePath}/dismissals`, { documents: [{ transactionId }], reason });
}

async function dismissed(referenceId: string): Promise<number> {
  const response = await dismiss(referenceId);
  expect(response.status, response.text).toBe(200);
  return response.body.dismissed;
}

describe('failed documents', () => {
  it('are grouped by error and field, with a fix for each group', async () => {
    await send('SIM-INVALID-CF358-1', 'N-1', 'SIM-INVALID-CF358-2', 'SIM-REJECT-CF349-1');
    await send('SIM-INVALID-CF358-3');
    const body = await needsAction();
    expect(body).toMatchObject({ documents: 4, dismissed: 0 });
    expect(body.causes.map(({ documents, field, examples }) => [documents, field, examples.length])).toEqual([
      [3, 'Buyer’s TIN', 3],
      [1, expect.any(String), 1],
    ]);
    const [{ cause, code, message, hint }] = body.causes;
    const { errors } = await find('SIM-INVALID-CF358-3');
    expect({ code, message, hint }).toEqual({ code: errors[0].code, message: errors[0].message, hint: errors[0].hint });
    const [newest, ...others] = await list(`cause=${cause}`);
    expect([newest, others.toSorted()]).toEqual([
      'SIM-INVALID-CF358-3',
      ['SIM-INVALID-CF358-1', 'SIM-INVALID-CF358-2'],
    ]);
    expect(await list(`cause=${cause}&status=SubmitFailed`)).toEqual([]);
    expect(await list('action=needed')).toHaveLength(4);
    expect(await list('action=needed&status=SubmitFailed')).toEqual(['SIM-REJECT-CF349-1']);
    expect(await list('action=needed&reference=SIM-INVALID-CF358-2')).toEqual(['SIM-INVALID-CF358-2']);
    expect(await list('action=needed&reference=N-1')).toEqual([]);
  });

  it('form one group for the same error in different lines and documents', async () => {
    const references = ['SIM-INVALID-CF358-1', 'SIM-INVALID-CF321-2'];
    await send(...references);
    expect((await needsAction()).causes).toHaveLength(2);
    for (const [position, referenceId] of references.entries()) {
      const pointer = `/documents/${position}/lineItems/${position + 10}/taxAmount`;
      await service.owner.query(
        `UPDATE document_transaction SET errors = $3 WHERE tenant_id = $1 AND reference_id = $2`,
        [tenant.tenantId, referenceId, JSON.stringify([{ code: 'tax_wrong', message: 'Wrong', hint: null, pointer }])],
      );
    }
    expect((await needsAction()).causes).toMatchObject([
      { cause: 'tax_wrong:/lineItems/*/taxAmount', field: 'Lines, tax amount', documents: 2 },
    ]);
  });

  it('are grouped by profile field, with the sent value', async () => {
    for (const [number, change] of [
      ['P-1', "state_code = '99'"],
      ['P-2', "state_code = '10', msic = '99999'"],
    ]) {
      await service.owner.query(`UPDATE tenant SET ${change} WHERE tenant_id = $1`, [tenant.tenantId]);
      await send(number);
    }
    const { causes } = await needsAction();
    expect(causes.toSorted((one, other) => one.cause.localeCompare(other.cause))).toMatchObject([
      {
        cause: 'code_not_in_list:profile/Industry (MSIC)',
        field: 'Organisation’s profile, Industry (MSIC)',
        sentValue: '99999',
        hint: expect.stringMatching(/^Correct "Industry \(MSIC\)" /),
        examples: [{ referenceId: 'P-2' }],
      },
      {
        cause: 'code_not_in_list:profile/State',
        field: 'Organisation’s profile, State',
        sentValue: '99',
        hint: expect.stringMatching(/^Correct "State" /),
        examples: [{ referenceId: 'P-1' }],
      },
    ]);
    expect(await list(`cause=${encodeURIComponent('code_not_in_list:profile/State')}`)).toEqual(['P-1']);
  });

  it('are listed across pages within the date range', async () => {
    await send('SIM-INVALID-CF358-1', 'SIM-INVALID-CF358-2', 'SIM-INVALID-CF358-3');
    const first = await read<TransactionPageDto>(`${basePath}/transactions?action=needed&limit=2`);
    const rest = await read<TransactionPageDto>(`${basePath}/transactions?action=needed&limit=2&cursor=${first.next}`);
    expect([first.items.length, rest.items.length, rest.next]).toEqual([2, 1, null]);
    expect(await list('action=needed&to=2020-01-01')).toEqual([]);
  });

  it('need action until a resubmission succeeds', async () => {
    const { documents } = await send('SIM-INVALID-CF358-1');
    expect(await find('SIM-INVALID-CF358-1')).toMatchObject({ needsAction: true, dismissal: null });
    await accept(service, tenant, [invoice({ referenceId: 'SIM-INVALID-CF358-1' })]);
    expect((await needsAction()).documents).toBe(0);
    await service.settle();
    const { causes } = await needsAction();
    expect(causes).toMatchObject([{ documents: 1 }]);
    expect(causes[0].examples[0].transactionId).not.toBe(documents[0].transactionId);
  });
});

describe('dismissal', () => {
  it('hides a document from the list until it is undone', async () => {
    await send('SIM-INVALID-CF358-1', 'SIM-INVALID-CF358-2');
    expect(await dismissed('SIM-INVALID-CF358-1')).toBe(1);
    expect(await needsAction()).toMatchObject({ documents: 1, dismissed: 1, causes: [{ documents: 1 }] });
    expect(await list('action=needed')).toEqual(['SIM-INVALID-CF358-2']);
    expect(await list('action=dismissed')).toEqual(['SIM-INVALID-CF358-1']);
    const { dismissal, needsAction: isNeeded, transactionId } = await find('SIM-INVALID-CF358-1');
    expect(isNeeded).toBe(false);
    expect(dismissal).toEqual({
      at: expect.stringMatching(/Z$/),
      by: expect.objectContaining({ kind: 'user', id: member.session?.user.userId }),
      reason: 'Known',
    });
    // A second dismissal keeps the original user and reason.
    expect((await dismiss('SIM-INVALID-CF358-1', { reason: 'Other' })).body.dismissed).toBe(0);
    expect((await find('SIM-INVALID-CF358-1')).dismissal?.reason).toBe('Known');
    const path = `${basePath}/dismissals/${transactionId}`;
    expect((await member.call('DELETE', path)).status).toBe(204);
    expect((await member.call('DELETE', path)).status).toBe(404);
    expect(await needsAction()).toMatchObject({ documents: 2, dismissed: 0 });
    const entries = await service.owner.query<object[]>(
      `SELECT action, subject, details FROM audit_entry WHERE tenant_id = $1 AND action LIKE 'document.%' ORDER BY id`,
      [tenant.tenantId],
    );
    expect(entries).toMatchObject([
      { action: 'document.dismissed', subject: 'SIM-INVALID-CF358-1', details: { reason: 'Known' } },
      { action: 'document.dismissal_taken_back', subject: 'SIM-INVALID-CF358-1' },
    ]);
  });

  it('does not apply to a later failed attempt', async () => {
    await send('SIM-INVALID-CF358-1');
    await dismiss('SIM-INVALID-CF358-1');
    await send('SIM-INVALID-CF358-1');
    expect(await needsAction()).toMatchObject({ documents: 1, dismissed: 0 });
    expect(await find('SIM-INVALID-CF358-1')).toMatchObject({ attempt: 2, needsAction: true, dismissal: null });
  });

  it('affects only current failed attempts', async () => {
    const { documents } = await send('N-1', 'SIM-INVALID-CF358-1');
    await send('SIM-INVALID-CF358-1');
    const ids = documents.map(({ transactionId }) => ({ transactionId }));
    const response = await member.post<DismissedDto>(`${basePath}/dismissals`, { documents: ids, reason: 'Known' });
    expect([response.status, response.body]).toEqual([200, { dismissed: 0 }]);
    expect((await needsAction()).documents).toBe(1);
  });

  it.each([
    ['no reason', { reason: ' ' }, '/reason'],
    ['a reason of 301 characters', { reason: 'x'.repeat(301) }, '/reason'],
    ['a reason of two lines', { reason: 'a\nb' }, '/reason'],
    ['no document', { documents: [] }, '/documents'],
    ['what is no id', { documents: [{ transactionId: 'x' }] }, '/documents/0/transactionId'],
  ])('is rejected with %s', async (_, changed, pointer) => {
    const { documents } = await send('SIM-INVALID-CF358-1');
    const body = { documents: [{ transactionId: documents[0].transactionId }], reason: 'Known', ...changed };
    const response = await member.post<Problem>(`${basePath}/dismissals`, body);
    expect([response.status, response.body.details?.map((detail) => detail.pointer)]).toEqual([400, [pointer]]);
    expect((await needsAction()).dismissed).toBe(0);
  });

  it('is denied to viewers', async () => {
    await send('SIM-INVALID-CF358-1');
    const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
    expect((await needsAction(viewer)).documents).toBe(1);
    expect((await dismiss('SIM-INVALID-CF358-1', { browser: viewer })).status).toBe(403);
    expect((await needsAction()).documents).toBe(1);
    await dismiss('SIM-INVALID-CF358-1');
    const { transactionId } = await find('SIM-INVALID-CF358-1');
    expect((await viewer.call('DELETE', `${basePath}/dismissals/${transactionId}`)).status).toBe(403);
    expect((await needsAction()).dismissed).toBe(1);
  });
});

describe('members of another organisation or environment', () => {
  it('cannot see, dismiss or restore failures', async () => {
    const { documents } = await send('SIM-INVALID-CF358-1');
    const [{ transactionId }] = documents;
    const neighbour = await createTenant(service);
    const stranger = await signUpInto(service, neighbour.tenantId, 'owner');
    const elsewhere = [
      [stranger, `/organisations/${neighbour.tenantId}/sandbox`],
      [member, `/organisations/${tenant.tenantId}/production`],
    ] as const;
    for (const [browser, path] of elsewhere) {
      expect(await read<NeedsActionDto>(`${path}/needs-action`, browser)).toMatchObject({ documents: 0, causes: [] });
      for (const query of ['action=needed', 'cause=buyer_tin_invalid:/recipient/tin', 'action=dismissed']) {
        const { items } = await read<TransactionPageDto>(`${path}/transactions?${query}`, browser);
        expect(items).toEqual([]);
      }
      const body = { documents: [{ transactionId }], reason: 'Mine' };
      const response = await browser.post<DismissedDto>(`${path}/dismissals`, body);
      expect([response.status, response.body.dismissed]).toEqual([200, 0]);
    }
    expect((await needsAction()).documents).toBe(1);
    await dismiss('SIM-INVALID-CF358-1');
    for (const [browser, path] of elsewhere) {
      expect((await browser.call('DELETE', `${path}/dismissals/${transactionId}`)).status).toBe(404);
    }
    expect((await needsAction()).dismissed).toBe(1);
  });
});
