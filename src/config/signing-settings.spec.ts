import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from './configuration.js';
import { SettingsError } from './settings-reader.js';

function toCertificatePath(name: string): string {
  return fileURLToPath(new URL(`../../test/support/certificates/${name}.pem`, import.meta.url));
}

const CERTIFICATE = 'AUTHORITY_SANDBOX_SIGNING_CERT';
const KEY = 'AUTHORITY_SANDBOX_SIGNING_KEY';
const BASE = {
  DATABASE_URL: 'postgres://localhost/a',
  DATABASE_DISPATCHER_URL: 'postgres://localhost/a',
  AUTHORITY_SANDBOX_API_URL: 'http://localhost:1',
  AUTHORITY_SANDBOX_CLIENT_ID: 'id',
  AUTHORITY_SANDBOX_CLIENT_SECRET: 'secret',
  SECRETS_KEY: 'a-key-for-tests-of-at-least-32-characters',
};

function signerIn(environment: Record<string, string>, role: 'api' | 'dispatcher' = 'dispatcher') {
  return readConfiguration(role, { ...BASE, ...environment }).authorities.sandbox?.signer;
}

function catchProblems(environment: Record<string, string>): readonly string[] {
  try {
    readConfiguration('dispatcher', { ...BASE, ...environment });
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

const FILES = { [CERTIFICATE]: toCertificatePath('signing.cert'), [KEY]: toCertificatePath('signing.key') };

describe('signing settings', () => {
  it('may be omitted', () => {
    expect(signerIn({})).toBeNull();
    expect(signerIn({ [CERTIFICATE]: '', [KEY]: ' ' })).toBeNull();
  });

  it('accept file paths and PEM text, even on one line', () => {
    const texts = Object.fromEntries(Object.entries(FILES).map(([name, path]) => [name, readFileSync(path, 'utf8')]));
    const lines = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.replaceAll('\n', '\\n')]));
    for (const environment of [FILES, texts, lines]) {
      expect(signerIn(environment)?.certificate.issuerName).toMatch(/^CN=Test Sub CA V1, /);
    }
  });

  it('are read only by the dispatcher', () => {
    expect(signerIn({ ...FILES, [KEY]: '/nowhere' }, 'api')).toBeNull();
  });

  it.each([CERTIFICATE, KEY])('are rejected if only %s is set', (name) => {
    expect(catchProblems({ [name]: 'x' })).toEqual([`${CERTIFICATE} and ${KEY} must be set together, or neither`]);
  });

  it('are reported with other problems but without their values', () => {
    const problems = catchProblems({ [CERTIFICATE]: '/nowhere', [KEY]: 'MIIEvQIBADANBg', SECRETS_KEY: 'short' });
    expect(problems).toEqual([
      `${CERTIFICATE} must be the path of a readable PEM file, or PEM text: ENOENT`,
      `${KEY} must be the path of a readable PEM file, or PEM text: ENOENT`,
      expect.stringMatching(/^SECRETS_KEY/),
    ]);
  });

  it('report problems of the certificate', () => {
    const problems = catchProblems({
      [CERTIFICATE]: toCertificatePath('expired.cert'),
      [KEY]: toCertificatePath('other.key'),
    });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(`${CERTIFICATE} and ${KEY}: the certificate expired on 2021-01-01`);
  });
});
