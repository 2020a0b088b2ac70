import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CODES_BY_ACTION, findAction } from '../../dashboard/src/parts/error-actions.js';
import { AUTHORITY_ERRORS } from '../../src/documents/error-catalogue.js';
import type { ErrorCodeEntry } from '../../src/errors/explanation.js';
import { ERROR_CODES } from '../../src/errors/error-codes.js';

/** All error codes in the generated reference page. */
function readOwnFindings(): string[] {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const [, section = ''] = /### Findings of this service\n([\s\S]*?)\n### /.exec(page) ?? [];
  return [...section.matchAll(/^- `(\w+)`/gm)].map(([, code = '']) => code);
}

const ofDocuments = [
  ...AUTHORITY_ERRORS.flatMap(({ entries }) => entries.map(({ code }) => code)),
  ...readOwnFindings(),
];
const ofRequests = Object.entries<ErrorCodeEntry>(ERROR_CODES)
  .filter(([, { operations }]) => operations?.some((one) => one === 'submit' || one === 'cancel') ?? true)
  .map(([code]) => code);

describe('error actions', () => {
  it('include each document, submit and cancel error code exactly once', () => {
    expect(readOwnFindings()).toContain('parent_not_valid');
    const listed = Object.values(CODES_BY_ACTION).flat();
    expect(listed.toSorted()).toEqual([...new Set([...ofDocuments, ...ofRequests])].toSorted());
  });

  it('link every fixable error to its field', () => {
    const entries = AUTHORITY_ERRORS.flatMap(({ entries: all }) => all);
    const fixable = entries.filter(({ actor, fieldPath }) => actor !== 'operator' && fieldPath.startsWith('/'));
    const without = fixable.filter(({ code }) => findAction(code) === 'none').map(({ code }) => code);
    expect(without).toEqual([]);
    expect(fixable.length).toBeGreaterThan(20);
  });
});
