import { describe, expect, it } from 'vitest';
import { localPath } from './local-path';

describe('localPath', () => {
  it.each(['/', '/o/1/sandbox/transactions?status=Invalid#top', '/a//b'])('keeps %s', (path) => {
    expect(localPath(path)).toBe(path);
  });

  it.each([
    'https://elsewhere.example',
    '//elsewhere.example',
    '/\\elsewhere.example',
    '/\t/elsewhere.example',
    '/.//elsewhere.example',
    'javascript:alert(1)',
    'o/1',
    '',
    undefined,
    7,
  ])('rejects %s', (path) => {
    expect(localPath(path)).toBeNull();
  });
});
