import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ProcessRole, readConfiguration } from './configuration.js';
import { SettingsError } from './settings-reader.js';

const SAFE = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://db.example/einvoice?sslmode=verify-full',
  DATABASE_DISPATCHER_URL: 'postgres://db.example/einvoice',
  DATABASE_OPERATOR_URL: 'postgres://db.example/einvoice',
  DATABASE_OWNER_URL: 'postgres://db.example/einvoice',
  AUTHORITY_SANDBOX_API_URL: 'https://preprod-api.authority.example',
  AUTHORITY_SANDBOX_CLIENT_ID: 'id',
  AUTHORITY_SANDBOX_CLIENT_SECRET: 'secret',
  AUTHORITY_PRODUCTION_API_URL: 'https://api.authority.example',
  AUTHORITY_PRODUCTION_CLIENT_ID: 'id',
  AUTHORITY_PRODUCTION_CLIENT_SECRET: 'secret',
  SECRETS_KEY: 'f2b5c1097ae84d36b0d97e61c25f8a34e9d07b16f3ac58219de4706bc83f1a52',
};

const ROLES: readonly ProcessRole[] = ['api', 'dispatcher', 'operator'];

function findProblems(environment: NodeJS.ProcessEnv, role: ProcessRole = 'api'): readonly string[] {
  try {
    readConfiguration(role, { ...SAFE, ...environment });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

const UNSAFE: readonly [string, Record<string, string>, ProcessRole?][] = [
  ['AUTHORITY_SANDBOX_API_URL', { AUTHORITY_SANDBOX_API_URL: 'http://127.0.0.1:4010' }],
  ['AUTHORITY_SANDBOX_IDENTITY_URL', { AUTHORITY_SANDBOX_IDENTITY_URL: 'HTTP://identity.example' }],
  ['AUTHORITY_PRODUCTION_PORTAL_URL', { AUTHORITY_PRODUCTION_PORTAL_URL: 'http://portal.example' }],
  ['AUTHORITY_PRODUCTION_RATE_FACTOR', { AUTHORITY_PRODUCTION_RATE_FACTOR: '0.0' }, 'dispatcher'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'operator'],
  ['DATABASE_URL', { DATABASE_URL: 'postgres://db.example/einvoice?sslmode=no-verify' }],
  ['DATABASE_OPERATOR_URL', { DATABASE_OPERATOR_URL: 'postgres://db.example/einvoice?ssl=no-verify' }],
  ['DATABASE_OWNER_URL', { DATABASE_OWNER_URL: 'postgres://d/e?uselibpqcompat=true&sslmode=require' }, 'operator'],
  ['PGSSLMODE', { PGSSLMODE: 'no-verify' }],
  ['SECRETS_KEY', { SECRETS_KEY: 'a'.repeat(64) }],
];

describe('production settings', () => {
  it.each(ROLES)('are accepted by the role %s if they are safe', (role) => {
    expect(findProblems({}, role)).toEqual([]);
  });

  it.each(UNSAFE)('reject an unsafe %s only in production', (name, unsafe, role) => {
    expect(findProblems(unsafe, role)).toEqual([expect.stringMatching(new RegExp(`^${name} `))]);
    expect(findProblems({ ...unsafe, NODE_ENV: 'test' }, role)).toEqual([]);
  });

  it.each(['Production', 'PRODUCTION', 'prod', 'live'])('reject NODE_ENV=%s in every role', (mode) => {
    for (const role of ROLES) {
      expect(findProblems({ NODE_ENV: mode }, role)).toEqual([
        `NODE_ENV must be one of production, development, test, not "${mode}"`,
      ]);
    }
  });

  it('report all unsafe settings in one error', () => {
    const all = UNSAFE.filter(([name]) => name !== 'DATABASE_OWNER_URL');
    const problems = findProblems(Object.assign({}, ...all.map(([, unsafe]) => unsafe)));
    expect(problems.map((problem) => problem.split(' ')[0]).toSorted()).toEqual(all.map(([name]) => name).toSorted());
  });
});

describe('SECRETS_KEY in production', () => {
  it.each([
    'abababababababababababababababab',
    '0123456789abcdef0123456789abcdef',
    'abcdefghijklmnopqrstuvwxyz0123456789',
    '9876543210987654321098765432109876543210',
    'deadbeefdeadbeefdeadbeefdeadbeefdeadbeef',
    '0101100111010010110011101001011001110100',
    'change-me-to-something-of-32-characters',
    'a-key-for-tests-of-at-least-32-characters',
    'MySecretKeyForTheEinvoiceService2026!!',
  ])('is rejected if it can be guessed: %s', (key) => {
    expect(findProblems({ SECRETS_KEY: key })).toEqual([
      expect.stringMatching(/^SECRETS_KEY .*: make one with openssl rand -hex 32$/),
    ]);
  });

  it('accepts random keys in hexadecimal and base64', () => {
    for (let round = 0; round < 500; round += 1) {
      for (const key of [
        randomBytes(16).toString('hex'),
        randomBytes(32).toString('hex'),
        randomBytes(32).toString('base64'),
      ]) {
        expect(findProblems({ SECRETS_KEY: key }), key).toEqual([]);
      }
    }
  });
});
