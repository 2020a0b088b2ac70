import { insertBulkJob } from '../support/bulk-jobs.js';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { AuditPageDto } from '../../src/dashboard-api/audit/dto/audit.dto.js';
import type { SessionListingDto } from '../../src/dashboard-api/session/dto/session.dto.js';
import { readCommand, runCommand } from '../cli/run-command.js';
import { createTenant, issue } from '../support/client.js';
import { Browser, PASSWORD, signUp, signUpInto } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { createOperator, organisation, readAudit } from '../support/people.js';

const NO_ORGANISATION = '00000000-0000-0000-0000-000000000000';
const COMMAND = `operator command (${userInfo().username})`;
const service = await startFileService();

interface Description {
  readonly paths: Record<
    string,
    { get?: { parameters: { name: string }[]; responses: Record<string, { content?: Record<string, unknown> }> } }
  >;
}

/** Example value for each filter. */
const FILTERS = { from: '2026-01-01', search: 'y'.repeat(100) } as const;

/** Routes and filters of all CSV files in the OpenAPI description. */
const FILES = Object.entries((JSON.parse(readFileSync('dashboard/openapi.json', 'utf8')) as Description).paths)
  .filter(([, { get }]) => get?.responses['200']?.content?.['text/csv'] !== undefined)
  .map(([path, { get }]) => {
    const known = Object.entries(FILTERS).filter(([name]) => get?.parameters.some((each) => each.name === name));
    return [path.replace('/api/dashboard', ''), Object.fromEntries(known)] as const;
  });

describe('audit log', () => {
  it('records how each session ended', async () => {
    const { browser, email } = await signUp(service);
    const second = new Browser(service);
    await second.enter('/sign-in', { email, password: PASSWORD });
    const { body } = await browser.get<SessionListingDto[]>('/sessions');
    const other = body.find(({ isCurrent }) => !isCurrent);
    expect((await browser.call('DELETE', `/sessions/${other?.sessionId}`)).status).toBe(204);
    expect((await browser.call('DELETE', `/sessions/${other?.sessionId}`)).status).toBe(404);
    expect((await browser.post('/sign-out', {})).status).toBe(204);
    const entries = (await readAudit(service, NO_ORGANISATION)).filter(({ subject }) => subject === email);
    expect(entries).toMatchObject([
      { action: 'user.signed_in', actor: email },
      { action: 'user.session_ended', actor: email, details: { from: '127.0.0.1', browser: other?.userAgent } },
      { action: 'user.signed_out', actor: email, details: { from: '127.0.0.1' } },
    ]);
  });
});

describe('audit log of downloads', () => {
  it.each(FILES)('contains one entry with the filters of %s', async (path, filters) => {
    const { browser, email, tenantId } = path.startsWith('/operator')
      ? { ...(await createOperator(service)), tenantId: NO_ORGANISATION }
      : await organisation(service);
    const jobId = path.includes('{jobId}') ? await insertBulkJob(service, tenantId) : '';
    const address = path.replace('{tenantId}', tenantId).replace('{environment}', 'sandbox').replace('{jobId}', jobId);
    const ofFile = async () =>
      (await readAudit(service, tenantId)).filter(
        (entry) => entry.action === 'file.downloaded' && entry.actor === email,
      );
    const { status, headers, text } = await browser.get(`${address}?${new URLSearchParams(filters).toString()}`);
    expect(status, text).toBe(200);
    const [, name] = /filename="(.+)"/.exec(headers.get('content-disposition') ?? '') ?? [];
    const environment = path.includes('{environment}') ? { environment: 'sandbox' } : {};
    expect(await ofFile()).toEqual([
      {
        action: 'file.downloaded',
        actor: email,
        subject: name,
        details: { ...environment, ...(Object.keys(filters).length > 0 && { filters }) },
        ip: '127.0.0.1',
      },
    ]);
    expect((await browser.get(`${address}?cursor=x`)).status).toBeLessThan(500);
  });

  it('contains one entry per downloaded request or built document', async () => {
    const tenant = await createTenant(service);
    await issue(service, tenant, invoice());
    const browser = await signUpInto(service, tenant.tenantId, 'viewer');
    const path = `/organisations/${tenant.tenantId}/sandbox/transactions`;
    const { body } = await browser.get<{ items: { transactionId: string }[] }>(path);
    for (const file of ['request', 'document']) {
      expect((await browser.get(`${path}/${body.items[0].transactionId}/${file}.json`)).status).toBe(200);
      expect((await browser.get(`${path}/${NO_ORGANISATION}/${file}.json`)).status).toBe(404);
    }
    const entries = (await readAudit(service, tenant.tenantId)).filter(({ action }) => action === 'file.downloaded');
    expect(entries.map(({ subject }) => subject.replace(/^.*-/, ''))).toEqual(['request.json', 'document.json']);
    expect(entries[0].details).toEqual({ environment: 'sandbox' });
  });

  it('is visible only to owners of the organisation', async () => {
    const [owner, other] = [await organisation(service), await organisation(service)];
    await owner.browser.get(`${owner.path}/members.csv`);
    const listed = await owner.browser.get<AuditPageDto>(`${owner.path}/audit?action=file.`);
    expect(listed.body.items.map(({ subject }) => subject)).toEqual(['members.csv']);
    expect((await other.browser.get<AuditPageDto>(`${other.path}/audit?action=file.`)).body.items).toEqual([]);
  });
});

describe('operator command', () => {
  it.each([
    [['tenant', 'list'], {}],
    [['user', 'list'], {}],
    [['queue', 'show'], {}],
    [['events', 'list'], {}],
    [['credits', 'audit', '--tenant', NO_ORGANISATION], { tenant: NO_ORGANISATION }],
    [['events', 'forget', 'nobody-reads'], {}],
    [['user', 'disable', '--email', 'nobody@kedai.example'], { email: 'nobody@kedai.example' }],
  ])('records %j with the operating system user, even after a failure', async (words, options) => {
    const before = (await readAudit(service, NO_ORGANISATION)).length;
    await runCommand(service.database, words);
    const entries = (await readAudit(service, NO_ORGANISATION)).slice(before);
    const subject = words
      .filter((word, index) => !word.startsWith('--') && !words[index - 1]?.startsWith('--'))
      .join(' ');
    expect(entries).toEqual([{ action: 'command.run', actor: COMMAND, subject, details: options, ip: null }]);
  });

  it('records the old and new values of changed profile fields', async () => {
    const words = ['tenant', 'create', '--name', 'Kedai Lama', '--tin', 'C5550001110'];
    const { tenantId } = await readCommand<{ tenantId: string }>(service.database, words);
    const change = ['--name', 'Kedai Lama', '--tin', 'C5550002220', '--city', 'Ipoh'];
    await readCommand(service.database, ['tenant', 'update', '--tenant', tenantId, ...change]);
    const entries = (await readAudit(service, tenantId)).filter(
      ({ action }) => action === 'organisation.profile_changed',
    );
    expect(entries).toMatchObject([
      { actor: COMMAND, details: { changes: { tin: { from: null, to: 'C5550001110' } } } },
      { actor: COMMAND, details: { changes: { tin: { from: 'C5550001110', to: 'C5550002220' } } } },
    ]);
    expect(entries[1].details.changes).toEqual({
      tin: { from: 'C5550001110', to: 'C5550002220' },
      city: { from: null, to: 'Ipoh' },
    });
  });
});
