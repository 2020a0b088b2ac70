import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DocumentErrorDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readStatus } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { AuthorityProxy } from './authority-proxy.js';

// The findings that a client reads are limited, whatever the authority sends.

const FINDINGS = 50_000;
const LISTED = 200;

let proxy: AuthorityProxy;
beforeAll(async () => {
  proxy = await AuthorityProxy.start({ simulator: { validationDelayMs: 0, visibilityDelayMs: 0 } });
});
afterAll(() => proxy.stop());

interface Details {
  readonly validationResults?: { readonly validationSteps: readonly object[] };
}

/** Replaces the validation steps in each response with details. */
function replaceSteps(validationSteps: readonly object[]): void {
  proxy.rewrite = (text) => {
    if (!text.includes('"validationSteps"')) return text;
    return JSON.stringify({ ...(JSON.parse(text) as Details), validationResults: { validationSteps } });
  };
}

async function readErrors(): Promise<readonly DocumentErrorDto[]> {
  const tenant = await createTenant(proxy.service);
  const referenceId = reference('SIM-INVALID-CF358');
  const { submissionBatchId } = await accept(proxy.service, tenant, [invoice({ referenceId })]);
  await proxy.service.settle();
  return (await readStatus(proxy.service, tenant, submissionBatchId)).documents[0].errors;
}

describe('an Invalid document', () => {
  const finding = (index: number): object => ({ errorCode: 'CF358', error: `Invalid TIN ${index}` });

  it.each([
    ['in separate steps', (index: number) => ({ name: 'Step', status: 'Invalid', error: finding(index) }), FINDINGS],
    [
      'in one step',
      () => ({
        name: 'Step',
        status: 'Invalid',
        error: { innerError: Array.from({ length: FINDINGS }, (_, i) => finding(i)) },
      }),
      1,
    ],
  ])('lists 200 of 50,000 errors %s with the number of omitted errors', async (_, build, steps) => {
    replaceSteps(Array.from({ length: steps }, (__, index) => build(index)));
    const errors = await readErrors();
    expect(errors).toHaveLength(LISTED + 1);
    expect(errors[LISTED]).toMatchObject({
      code: 'errors_not_listed',
      message: `The tax authority found ${FINDINGS - LISTED} more errors, which are not listed here`,
    });
  });

  it('lists 20 of 50,000 failed steps without an error', async () => {
    replaceSteps(Array.from({ length: FINDINGS }, (_, index) => ({ name: `Step ${index}`, status: 'Invalid' })));
    const [{ code, authorityMessage }] = await readErrors();
    expect(code).toBe('invalid_without_reason');
    expect(authorityMessage).toMatch(/^Steps that failed without an error: Step 0, .*, Step 19 and 49980 more$/);
  });
});
