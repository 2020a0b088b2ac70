import { describe, expect, it } from 'vitest';
import { describeDated, hasSome, sumCounts } from './counts';

describe('truncated count', () => {
  const counts = [
    { status: 'Valid', documents: 0, hasMore: true },
    { status: 'Invalid', documents: 0, hasMore: false },
  ] as const;

  it('includes at least one document even if none was found', () => {
    expect(hasSome(sumCounts(counts, undefined))).toBe(true);
    expect(hasSome(sumCounts(counts, undefined, (status) => status === 'Invalid'))).toBe(false);
    expect(hasSome(sumCounts(undefined, undefined))).toBe(false);
  });

  it.each([
    [{ documents: 0, hasMore: false }, 'No document is dated in May 2026'],
    [{ documents: 0, hasMore: true }, 'Documents are dated in May 2026; there are too many to count'],
    [{ documents: 1, hasMore: false }, '1 document is dated in May 2026'],
    [{ documents: 1_000, hasMore: true }, '1,000+ documents are dated in May 2026'],
  ])('describes the total %j of a month as "%s"', (all, text) => {
    expect(describeDated('May 2026', all)).toBe(text);
  });
});
