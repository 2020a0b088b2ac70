import { describe, expect, it } from 'vitest';
import { readSettings, RefusedRun } from './options.js';

const KEY = `eisk_test_${'a'.repeat(36)}`;
const OTHER_KEY = `eisk_test_${'b'.repeat(36)}`;
const LIVE_KEY = `eisk_live_${'a'.repeat(36)}`;
const URL_GIVEN = 'http://127.0.0.1:3000/api/';
const GIVEN = ['--base-url', URL_GIVEN, '--api-key', KEY];

describe('settings of a run', () => {
  it('are read from options', () => {
    const words = [...GIVEN, '--second-key', OTHER_KEY, '--authority', 'real', '--junit', 'x.xml', '--only', 'totals'];
    expect(readSettings(words, {})).toMatchObject({
      baseUrl: 'http://127.0.0.1:3000/api',
      apiKey: KEY,
      secondKey: OTHER_KEY,
      authority: 'real',
      junit: 'x.xml',
      only: 'totals',
    });
  });

  it('are read from the environment unless an option overrides them', () => {
    const environment = {
      EINVOICE_BASE_URL: URL_GIVEN,
      EINVOICE_API_KEY: KEY,
      EINVOICE_SECOND_KEY: OTHER_KEY,
      EINVOICE_AUTHORITY: 'real',
      EINVOICE_JUNIT: 'y.xml',
    };
    const read = { apiKey: KEY, secondKey: OTHER_KEY, authority: 'real', junit: 'y.xml' };
    expect(readSettings([], environment)).toMatchObject(read);
    expect(readSettings(['--authority', 'simulator'], environment)).toMatchObject({ ...read, authority: 'simulator' });
  });

  it('give runs different numbers even within the same second', () => {
    const now = new Date();
    const runs = Array.from({ length: 5 }, () => readSettings(GIVEN, {}, now).run);
    expect(new Set(runs).size).toBe(5);
    for (const run of runs) expect(run).toMatch(/^QA\d{12}[0-9A-F]{4}$/);
  });

  it.each<[title: string, words: string[], environment: NodeJS.ProcessEnv, message: string]>([
    ['without an address', ['--api-key', KEY], {}, '--base-url'],
    ['with a malformed address', ['--base-url', 'localhost:3000', '--api-key', KEY], {}, 'localhost:3000'],
    ['without a key', ['--base-url', URL_GIVEN], {}, '--api-key'],
    ['with a production key', ['--base-url', URL_GIVEN, '--api-key', LIVE_KEY], {}, '--api-key is not a sandbox key'],
    [
      'with a production key in the environment',
      ['--base-url', URL_GIVEN],
      { EINVOICE_API_KEY: LIVE_KEY },
      '--api-key',
    ],
    ['with a production key after a space', ['--base-url', URL_GIVEN, '--api-key', ` ${LIVE_KEY}`], {}, '--api-key'],
    [
      'with a production key as second key',
      [...GIVEN, '--second-key', LIVE_KEY],
      {},
      '--second-key is not a sandbox key',
    ],
    ['with the same key twice', [...GIVEN, '--second-key', KEY], {}, 'another organisation'],
    ['with an unknown authority', [...GIVEN, '--authority', 'mock'], {}, '"mock"'],
    ['with an unknown option', [...GIVEN, '--force'], {}, '--force'],
  ])('are rejected %s', (_, words, environment, message) => {
    expect(() => readSettings(words, environment)).toThrow(RefusedRun);
    expect(() => readSettings(words, environment)).toThrow(message);
  });

  it('keep keys out of error messages', () => {
    expect(() => readSettings(['--base-url', URL_GIVEN, '--api-key', LIVE_KEY], {})).not.toThrow(LIVE_KEY);
  });
});
