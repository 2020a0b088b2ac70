import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ApiResponse, createTenant, post, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// On Node 24 and later, JSON.parse can return a wrong field name after parsing a similar one, even one from another
// organisation's body. `npm run check -- node` runs this file on each supported version.

const service = await startFileService();
const corrupting = await createTenant(service);
const escaping = await createTenant(service);

/** Sends a line whose last field has the given spelling of its name and the value 10. */
function send(tenant: TestTenant, name: string, options: { key?: string; query?: string } = {}): Promise<ApiResponse> {
  const document = invoice({ lineItems: [{ description: 'Goods', quantity: 1, unitPrice: 100, added: 10 }] });
  const documents = JSON.stringify([document]).replace('"added"', `"${name}"`);
  return post(service, tenant, {
    key: options.key,
    path: `/v1/einvoice/submit${options.query ?? ''}`,
    body: `{"submission_type":"non-consolidated","documents":${documents}}`,
  });
}

async function readTotal({ body }: ApiResponse): Promise<unknown> {
  await service.settle();
  const { documents } = await readStatus(service, escaping, body.submissionBatchId as string);
  return documents[0].totals.totalExcludingTax;
}

// Names with the same length and prefix as the escaped spellings.
const DISCOUNT = ['discount', String.raw`\u0064iscount`, String.raw`d\u0069scount`, String.raw`discoun\u0074`];
const CORRUPTING = [
  String.raw`\\u0064is`,
  String.raw`d\\u0069s`,
  String.raw`discoun\\u0074`,
  String.raw`discoun\"`,
  String.raw`discount\n`,
  String.raw`\"iscount`,
  String.raw`\u0064iscoun\"`,
  String.raw`q\\\"`,
];

describe('discount with an escaped name', () => {
  it.each(CORRUPTING)('reduces the line after another organisation sends the name %s', async (name) => {
    for (const written of DISCOUNT) {
      // A name that resembles a known one is rejected after parsing.
      expect([200, 400]).toContain((await send(corrupting, name)).status);
      const response = await send(escaping, written);
      expect(response.body.warnings).toEqual([]);
      expect(await readTotal(response)).toBe(90);
    }
  });
});

describe('name that JSON can express only with an escape', () => {
  it('is unchanged in its warning after another organisation sends a similar name', async () => {
    for (const name of ['q"', 'q"z', 'q\\z', 'q\nz', '\uf8ff0', 'q\ud800']) {
      await send(corrupting, String.raw`q\"`);
      const { body } = await send(escaping, JSON.stringify(name).slice(1, -1), { query: '?dryRun=true' });
      const pointers = (body.warnings as { pointer: string }[]).map(({ pointer }) => pointer);
      expect(pointers).toEqual([`/documents/0/lineItems/0/${name}`]);
    }
  });

  it('distinguishes the body from one with a similar name under the same idempotency key', async () => {
    const key = randomUUID();
    expect((await send(escaping, String.raw`q\"`, { key })).status).toBe(200);
    const response = await send(escaping, String.raw`q\"z`, { key });
    expect(response.status).toBe(409);
  });

  it('counts as repeated next to another spelling of the same name', async () => {
    await send(corrupting, String.raw`q\"`);
    const { body } = await send(escaping, String.raw`q\u0022":10,"q\"`, { query: '?dryRun=true' });
    expect(body.warnings).toMatchObject([{ rule: 'member_repeated' }, { rule: 'member_unknown' }]);
  });
});
