import { describe, expect, it } from 'vitest';
import { ValidationError } from '../errors/api-error.js';
import { PAGE_ROWS, afterCursor, toPage, type PositionKind, readPage } from './cursor.js';

const IDS = ['019a8b5e-7c1f-7000-8000-000000000003', '019a8b5e-7c1f-7000-8000-000000000002'];

describe('page', () => {
  it('has a cursor unless it is the last page', () => {
    const request = readPage({ limit: '1' });
    const { items, next } = toPage(IDS, request, (id) => id);
    expect(items).toEqual([IDS[0]]);
    expect(readPage({ cursor: next })).toEqual({ limit: PAGE_ROWS, after: IDS[0] });
    expect(afterCursor(String(next), 7)).toEqual({ limit: 7, after: IDS[0] });
    expect(toPage(IDS, readPage({ limit: '2' }), (id) => id).next).toBeNull();
    expect(toPage([], request, (id: string) => id)).toEqual({ items: [], next: null });
  });

  it('is the first page with the default size without parameters', () => {
    expect(readPage({})).toEqual({ limit: PAGE_ROWS, after: null });
    expect(readPage({ cursor: '', limit: '' })).toEqual({ limit: PAGE_ROWS, after: null });
  });

  it.each([
    ['uuid', { cursor: 'x' }, '/cursor'],
    ['uuid', { cursor: ['a', 'b'] }, '/cursor'],
    ['uuid', { cursor: encoded("' OR true --") }, '/cursor'],
    ['uuid', { cursor: encoded('12') }, '/cursor'],
    ['sequence', { cursor: encoded(IDS[0]) }, '/cursor'],
    ['sequence', { cursor: encoded('-1') }, '/cursor'],
    ['uuid', { limit: '0' }, '/limit'],
    ['uuid', { limit: '201' }, '/limit'],
    ['uuid', { limit: '1.5' }, '/limit'],
    ['uuid', { limit: ['1', '2'] }, '/limit'],
  ])('ordered by %s rejects %j at %s', (kind, query, pointer) => {
    expect(catchProblems(query, kind as PositionKind)).toEqual([pointer]);
  });

  it('ordered by sequence accepts a number', () => {
    expect(readPage({ cursor: encoded('12') }, 'sequence').after).toBe('12');
  });
});

function encoded(position: string): string {
  return Buffer.from(position).toString('base64url');
}

function catchProblems(query: object, kind: PositionKind): string[] {
  try {
    readPage(query, kind);
    return [];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return (error.details().details as { pointer: string }[]).map(({ pointer }) => pointer);
  }
}
