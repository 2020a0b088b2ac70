import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { WorkerThreads } from '../../src/common/worker-threads.js';
import type { Supplier } from '../../src/documents/simplified-document.js';
import { prepareSubmit, judgeWithSupplier } from '../../src/submission/prepare-submit.js';
import { anyJson, submitBody } from '../errors/fuzz-bodies.js';
import { countRuns, RANDOM_SEED } from '../support/random.js';

const RUNS = countRuns(300);
const TIMEOUT_MS = 300_000;
const threads = new WorkerThreads(new URL('../../src/submission/submit-worker.js', import.meta.url), {
  heapMegabytesMax: 256,
  secondsMax: 120,
});
afterAll(() => threads.close());

const json = fc
  .oneof({ weight: 4, arbitrary: submitBody() }, { weight: 1, arbitrary: anyJson })
  .map((body) => JSON.stringify(body));
const bodies = fc.oneof(
  { weight: 8, arbitrary: json },
  // Truncated texts and texts with a repeated first field.
  { weight: 1, arbitrary: json.map((text) => text.slice(0, -1)) },
  { weight: 1, arbitrary: json.map((text) => text.replace(/^\{("[^"]*":)/, '{$10,$1')) },
);

const supplier: Supplier = {
  name: 'Kedai Contoh Sdn Bhd',
  tin: 'C1234567890',
  idType: 'BRN',
  idValue: '201901234567',
  sstNumber: null,
  ttxNumber: null,
  msic: '46510',
  activity: 'Wholesale of computers',
  addressLines: ['Lot 66'],
  city: 'Kuala Lumpur',
  postcode: '50480',
  stateCode: '14',
  country: 'MYS',
  phone: '+60312345678',
  email: null,
  defaultTaxType: 'E',
  defaultClassification: null,
};

it('worker thread prepares any body with the same result as the event loop', { timeout: TIMEOUT_MS }, async () => {
  const now = new Date();
  const seen = { malformed: 0, refused: 0, acceptable: 0, judged: 0 };
  await fc.assert(
    fc.asyncProperty(bodies, fc.boolean(), async (text, isStrict) => {
      const options = { now, isStrict };
      const here = prepareSubmit(Buffer.from(text), options);
      const there = await threads.run('prepare', [new TextEncoder().encode(text), options]);
      expect(there).toEqual(here);
      if ('malformed' in here) seen.malformed += 1;
      else if ('problems' in here) seen.refused += 1;
      else {
        seen.acceptable += 1;
        const documents = here.documents.map((document) => ({ ...document, mayBeTooLarge: true }));
        const problems = judgeWithSupplier(documents, supplier);
        expect(await threads.run('judge', [documents, supplier])).toEqual(problems);
        if (problems.length > 0) seen.judged += 1;
      }
    }),
    { numRuns: RUNS, seed: RANDOM_SEED },
  );
  for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(0);
});
