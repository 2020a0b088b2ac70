import { expect, it } from 'vitest';
import { accept, type ApiResponse, createTenant, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { rawRequest } from '../support/raw-http.js';

const service = await startFileService();

/** Sends a request as a browser does when it follows a link. */
function follow(file: string, { tenantId }: TestTenant, viewer?: Browser): Promise<ApiResponse> {
  return rawRequest(service, {
    method: 'GET',
    path: `/api/dashboard/organisations/${tenantId}/sandbox/${file}`,
    headers: [
      ['Accept', 'text/html,*/*;q=0.8'],
      ['Sec-Fetch-Mode', 'navigate'],
      ['Sec-Fetch-Site', 'same-origin'],
      ['Cookie', viewer?.cookie ?? ''],
    ],
  });
}

it('download links return an HTML page on failure', async () => {
  const tenant = await createTenant(service);
  const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
  const none = await follow('transactions-pdf.zip', tenant, viewer);
  expect([none.status, none.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(none.text).toContain('<p>The list has no such document: choose other days or filters.</p>');
  expect(none.text).toContain(`<code>${none.headers.get('x-request-id')}</code>`);
  expect(none.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
  expect(none.text).not.toMatch(/<script|src=/);

  const wrong = await follow('transactions.csv?from=tomorrow&to=yesterday', tenant, viewer);
  expect(wrong.status).toBe(400);
  expect(wrong.text.match(/<p>(?:from|to) [^<]+: [^<]+\.<\/p>/g), wrong.text).toHaveLength(2);

  const hostile = await follow('transactions.csv?status=%3Cscript%3E&%3Cb%3E=1', tenant, viewer);
  expect(hostile.status).toBe(400);
  expect(hostile.text).toContain('&#60;b&#62;');
  expect(hostile.text).not.toMatch(/<b>|<script>/);
});

it('download links return an HTML page without a session', async () => {
  const tenant = await createTenant(service);
  await accept(service, tenant, [invoice({ referenceId: reference() })]);
  const csv = await follow('transactions.csv', tenant, await signUpInto(service, tenant.tenantId, 'viewer'));
  expect([csv.status, csv.headers.get('content-type')?.split(';')[0]]).toEqual([200, 'text/csv']);
  const refused = await follow('transactions.csv', tenant);
  expect(refused.status).toBe(401);
  expect(refused.text).toContain('<h1>There is no file</h1>');
});

it('page requests return JSON errors', async () => {
  const tenant = await createTenant(service);
  const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
  const { status, body } = await viewer.get<{ code: string }>(
    `/organisations/${tenant.tenantId}/sandbox/transactions-pdf.zip`,
  );
  expect([status, body.code]).toEqual([404, 'not_found_here']);
});
