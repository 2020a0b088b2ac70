import { expect, it } from 'vitest';
import { accept, createTenant, get } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// API requests leave half of the logins to the dispatcher (docs/decisions/0084-shares-of-authority-calls.md).

const ROUNDS = 5;
const CHECKS_IN_ROUND = 3;
// Four times the published limit: one login per 1.3 seconds.
const service = await startFileService({ environment: { AUTHORITY_SANDBOX_RATE_FACTOR: '4' } });

it('immediately sends documents that need a login while TIN checks use up their share of logins', async () => {
  const greedy = await Promise.all(Array.from({ length: 4 }, () => createTenant(service)));
  // Each check needs a new login.
  await service.control('faults', [{ when: { api: 'validateTin' }, fault: '401', times: 10_000 }]);
  const pending: ReturnType<typeof get>[] = [];
  const sent: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let index = 0; index < CHECKS_IN_ROUND * greedy.length; index += 1) {
      const path = `/v1/einvoice/validate-taxpayer-tin/C${30_000_000_000 + pending.length}?idType=BRN&idValue=201901234567`;
      pending.push(get(service, greedy[index % greedy.length], path));
    }
    await accept(service, await createTenant(service), [invoice()]);
    await service.tick('submit');
    sent.push((await service.wireLog()).length);
    await service.advance(1);
  }
  expect(sent).toEqual([1, 2, 3, 4, 5]);
  const codes = (await Promise.all(pending)).map(({ status, body }) => `${status} ${String(body.code)}`);
  expect(new Set(codes)).toEqual(new Set(['503 call_budget', '503 authority_unavailable']));
}, 90_000);
