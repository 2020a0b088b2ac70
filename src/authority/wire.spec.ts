import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeGapSeconds, PUBLISHED_CALLS_PER_MINUTE, type AuthorityApi } from './call-limits.js';
import { buildSubmitBody } from './wire.js';

describe('buildSubmitBody', () => {
  const bytes = Buffer.from('{"Invoice":[{"Note":[{"_":"Kopi ☕"}]}]}', 'utf8');
  const sha256 = createHash('sha256').update(bytes).digest('hex');

  it('encodes the exact bytes with their hash and document number', () => {
    const body = buildSubmitBody([{ bytes, sha256, referenceId: 'INV-1' }]);
    expect(JSON.parse(body.toString('utf8'))).toEqual({
      documents: [{ format: 'JSON', documentHash: sha256, codeNumber: 'INV-1', document: bytes.toString('base64') }],
    });
  });

  // The authority's 10-minute rule compares whole bodies, so the same documents must always give the same bytes.
  it('returns the same JSON as JSON.stringify for arbitrary numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (referenceIds) => {
        const documents = referenceIds.map((referenceId) => ({
          format: 'JSON',
          documentHash: sha256,
          codeNumber: referenceId,
          document: bytes.toString('base64'),
        }));
        const body = buildSubmitBody(referenceIds.map((referenceId) => ({ bytes, sha256, referenceId })));
        expect(body.toString('utf8')).toBe(JSON.stringify({ documents }));
      }),
    );
  });

  it('returns the same bytes for the same documents', () => {
    const documents = [{ bytes, sha256, referenceId: 'INV-"1"' }];
    expect(buildSubmitBody(documents).equals(buildSubmitBody(documents))).toBe(true);
  });
});

describe('computeGapSeconds', () => {
  const apis = Object.keys(PUBLISHED_CALLS_PER_MINUTE) as AuthorityApi[];

  it.each(apis)('keeps %s within its limit and uses at least 90 percent of it', (api) => {
    for (const factor of [0.5, 1, 2]) {
      const limit = PUBLISHED_CALLS_PER_MINUTE[api] * factor;
      const callsInAMinute = Math.floor(60 / computeGapSeconds(api, factor)) + 1;
      expect(callsInAMinute).toBeLessThanOrEqual(limit);
      if (limit >= 12) expect(60 / computeGapSeconds(api, factor)).toBeGreaterThanOrEqual(limit * 0.9);
    }
  });

  it('returns 0 only for the factor 0', () => {
    expect(computeGapSeconds('submit', 0)).toBe(0);
    expect(computeGapSeconds('login', 0.01)).toBeCloseTo(1000);
  });
});
