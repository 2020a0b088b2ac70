import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { Signers } from '../../src/dispatcher/submit/signers.js';
import { verifyDocument } from '../../src/documents/signature.js';
import { createTenant, readStatus, submit, type TestTenant } from '../support/client.js';
import { signUpInto } from '../support/dashboard.js';
import { invoice, line } from '../support/documents.js';
import { TestService } from '../support/service.js';
import { readZip } from '../support/zip.js';

function toCertificatePath(name: string): string {
  return fileURLToPath(new URL(`../support/certificates/${name}.pem`, import.meta.url));
}

const signingSettings = (certificate: string, key = 'signing') => ({
  AUTHORITY_SANDBOX_SIGNING_CERT: toCertificatePath(`${certificate}.cert`),
  AUTHORITY_SANDBOX_SIGNING_KEY: toCertificatePath(`${key}.key`),
});

interface StoredDocument {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly version: string;
}

function storedDocuments(service: TestService, tenant: TestTenant): Promise<StoredDocument[]> {
  const select = 'SELECT bytes, sha256, version FROM authority_document WHERE tenant_id = $1 ORDER BY transaction_id';
  return service.owner.query<StoredDocument[]>(select, [tenant.tenantId]);
}

describe('dispatcher with a signing certificate', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start({ environment: signingSettings('signing') });
  });
  afterAll(() => service.stop());

  it('submits documents of version 1.1, which become Valid', async () => {
    const tenant = await createTenant(service);
    const lineItems = [{ ...line, description: 'Kopi "é" 手 😀 \\ \u2028' }, line];
    const batch = await submit(service, tenant, [invoice(), invoice({ lineItems })]);
    await service.settle();
    const status = await readStatus(service, tenant, batch.body.submissionBatchId);
    expect(status).toMatchObject({ status: 'Valid', documentCount: 2 });
    const stored = await storedDocuments(service, tenant);
    expect(stored.map(({ version }) => version)).toEqual(['1.1', '1.1']);
    for (const { bytes } of stored) {
      expect(verifyDocument(bytes)).toEqual({ ok: true });
      expect(JSON.parse(bytes.toString('utf8')).Invoice[0].InvoiceTypeCode[0].listVersionID).toBe('1.1');
    }
  });

  it('includes signature and certificate in the evidence ZIP', async () => {
    const tenant = await createTenant(service);
    await submit(service, tenant, [invoice({ referenceId: 'SIGNED-1' })]);
    await service.settle();
    const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
    const { bytes } = await viewer.download(`/organisations/${tenant.tenantId}/sandbox/transactions-evidence.zip`);
    const files = await readZip(bytes);
    const read = (name: string): string => String(files.get(`invoice-SIGNED-1-attempt-1/${name}`));
    const facts = JSON.parse(read('signature.json')) as Record<string, string>;
    const pem = readFileSync(toCertificatePath('signing.cert'), 'utf8');
    expect(facts.certificate).toBe(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
    expect(Date.parse(facts.signingTime)).not.toBeNaN();
    const document = read('document.json');
    expect(verifyDocument(Buffer.from(document))).toEqual({ ok: true });
    for (const fact of [facts.documentDigest, facts.signatureValue]) {
      expect(fact).toMatch(/^[\w+/]{40,}={0,2}$/);
      expect(document).toContain(JSON.stringify(fact));
    }
  });

  // After the first fault, the document may have arrived, so the stored bytes are sent again. After the second, the
  // document is claimed again.
  it.each(['http-500-before', '429-seconds'])('sends the same stored bytes again after %s', async (fault) => {
    const tenant = await createTenant(service);
    const referenceId = `INV-${tenant.tenantId.slice(-12)}`;
    const batch = await submit(service, tenant, [invoice({ referenceId })]);
    await service.control('faults', [{ when: { api: 'submit', referenceId }, fault, times: 1 }]);
    await service.tick('submit');
    const [first] = await storedDocuments(service, tenant);
    await service.settle();
    expect(await readStatus(service, tenant, batch.body.submissionBatchId)).toMatchObject({ status: 'Valid' });
    expect(await storedDocuments(service, tenant)).toEqual([first]);
    const sent = (await service.wireLog()).filter(({ number }) => number === referenceId);
    expect(sent).toMatchObject([{ sha256: first?.sha256 }]);
  });

  it('stops sending and reports an expired certificate to the operator', async () => {
    const tenant = await createTenant(service);
    await submit(service, tenant, [invoice()]);
    await service.owner.query(`UPDATE service_clock SET offset_seconds = offset_seconds + 50 * 366 * 86400`);
    await service.tick('submit');
    const [tenantQueue] = await service.owner.query<{ waiting_code: string }[]>(
      `SELECT waiting_code FROM tenant_queue WHERE tenant_id = $1 AND operation = 'submit'`,
      [tenant.tenantId],
    );
    expect(tenantQueue).toEqual({ waiting_code: 'signing_certificate_expired' });
    expect(await storedDocuments(service, tenant)).toEqual([]);
  });
});

describe('dispatcher with a self-signed certificate', () => {
  let service: TestService;
  beforeAll(async () => {
    const environment = signingSettings('self-signed');
    service = await TestService.start({ environment, simulator: { trustSelfSigned: false } });
  });
  afterAll(() => service.stop());

  it("shows the authority's errors about the signature", async () => {
    const tenant = await createTenant(service);
    const batch = await submit(service, tenant, [invoice()]);
    await service.settle();
    const status = await readStatus(service, tenant, batch.body.submissionBatchId);
    expect(status.documents[0]).toMatchObject({ authorityStatus: 'Invalid' });
    expect(JSON.stringify(status.documents[0])).toContain('DS329');
  });
});

it('dispatcher without a certificate sends unsigned documents of version 1.0', async () => {
  const service = await TestService.start();
  try {
    const tenant = await createTenant(service);
    const batch = await submit(service, tenant, [invoice()]);
    await service.settle();
    expect(await readStatus(service, tenant, batch.body.submissionBatchId)).toMatchObject({ status: 'Valid' });
    const [stored] = await storedDocuments(service, tenant);
    expect(stored?.version).toBe('1.0');
    expect(stored && verifyDocument(stored.bytes)).toEqual({ problem: 'DS301' });
  } finally {
    await service.stop();
  }
});

describe('dispatcher startup', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it.each([
    ['2074-11-30T00:00:00Z', []],
    ['2074-12-02T00:00:00Z', [expect.stringMatching(/^The signing certificate of sandbox expires in 29 days\. /)]],
  ])('warns if the certificate expires in less than 30 days: %s', (now, warnings) => {
    vi.setSystemTime(new Date(now));
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const configuration = readConfiguration('dispatcher', {
      DATABASE_DISPATCHER_URL: 'postgres://localhost/a',
      AUTHORITY_SANDBOX_API_URL: 'http://localhost:1',
      AUTHORITY_SANDBOX_CLIENT_ID: 'id',
      AUTHORITY_SANDBOX_CLIENT_SECRET: 'secret',
      SECRETS_KEY: 'a-key-for-tests-of-at-least-32-characters',
      ...signingSettings('signing'),
    });
    new Signers(configuration).onModuleInit();
    expect(warn.mock.calls.map(([text]) => text)).toEqual(warnings);
  });
});
