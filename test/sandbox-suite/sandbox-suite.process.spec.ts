import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestData } from '../standalone/test-data.js';
import { buildPrograms } from '../support/program.js';
import { createOrganisation, startDemo } from './demo.js';
import { runSuite, type SuiteRun } from './run-suite.js';

// Runs the suite against the demo like an external team, with a URL and two keys.

const START_MS = 300_000;
const RUN_MS = 420_000;
const CHECKS_MIN = 100;
const SUITE_SECONDS_MAX = 300;

let data: TestData;
let baseUrl: string;

beforeAll(async () => {
  await buildPrograms();
  data = await TestData.create();
  baseUrl = await startDemo(data);
}, START_MS);

afterAll(async () => {
  await data?.stopPrograms();
  await data?.remove();
}, START_MS);

const junit = (name: string): string => path.join(data.parent, `${name}.xml`);

/** Builds a well-formed but unknown key. */
const key = (prefix: string): string => `${prefix}${'a'.repeat(36)}`;

describe('npm run test:sandbox', () => {
  // These two tests run concurrently, because they mostly wait for outcomes and rate limits.
  it.concurrent(
    'runs all checks against the demo and spends the announced credits',
    async () => {
      const apiKey = await createOrganisation(data, { number: 1, credits: 1_000 });
      const secondKey = await createOrganisation(data, { number: 2, credits: 50 });
      const startedAt = performance.now();
      const run = await runSuite({ baseUrl, apiKey, secondKey, junit: junit('demo') });
      const seconds = (performance.now() - startedAt) / 1_000;
      expect(run.exitCode, run.out.slice(-20_000) + run.error).toBe(0);
      expect(run.checks.length).toBeGreaterThan(CHECKS_MIN);
      expect(run.checks.filter(({ hasFailed, isSkipped }) => hasFailed || isSkipped)).toEqual([]);
      expect(seconds).toBeLessThan(SUITE_SECONDS_MAX);
      expect(run.out.indexOf('Credits ')).toBeLessThan(run.out.indexOf('API key'));
      expect(run.out).toContain('the run has charged exactly the announced credits');
      expect(run.out).not.toContain(apiKey);
    },
    RUN_MS,
  );

  it.concurrent(
    'lists the skipped checks and the reasons',
    async () => {
      const apiKey = await createOrganisation(data, { number: 3, credits: 1_000 });
      const words = ['--authority', 'real'];
      const run = await runSuite({ baseUrl, apiKey, junit: junit('real'), words });
      expect(run.exitCode, run.out.slice(-20_000) + run.error).toBe(0);
      const skipped = run.checks.filter(({ isSkipped }) => isSkipped);
      expect(skipped.length).toBeGreaterThan(10);
      for (const { title } of skipped) expect(title).toMatch(/simulator only|with a second key/);
      const summary = run.out.slice(run.out.lastIndexOf('checks held'));
      expect(summary.match(/simulator only|with a second key/g)).toHaveLength(skipped.length);
    },
    RUN_MS,
  );

  it(
    'exits with 1 if no check matches --only',
    async () => {
      const apiKey = await createOrganisation(data, { number: 6, credits: 1_000 });
      const run = await runSuite({ baseUrl, apiKey, junit: junit('nothing'), words: ['--only', 'no such check'] });
      expect(run.exitCode).toBe(1);
      expect(run.out).toContain('No check ran: no check that can be played here has "no such check" in its title');
    },
    RUN_MS,
  );

  it(
    'exits with 1 and reports the failed check',
    async () => {
      const apiKey = await createOrganisation(data, { number: 4, credits: 1_000 });
      // Run alone, this check fails because no credits are charged.
      const words = ['--only', 'the announced credits'];
      const run = await runSuite({ baseUrl, apiKey, junit: junit('failing'), words });
      expect(run.exitCode).toBe(1);
      expect(run.checks.filter(({ hasFailed }) => hasFailed)).toHaveLength(1);
      expect(run.out).toContain('0 checks held, 1 did not');
    },
    RUN_MS,
  );

  it(
    'rejects a run with insufficient credits before it spends any',
    async () => {
      const apiKey = await createOrganisation(data, { number: 5, credits: 10 });
      const run = await runSuite({ baseUrl, apiKey, junit: junit('poor') });
      expect(run).toMatchObject({ exitCode: 2, checks: [] });
      expect(run.error).toContain('has 10 credits');
    },
    RUN_MS,
  );

  it(
    'rejects an unknown key with the response of the service',
    async () => {
      const run = await runSuite({ baseUrl, apiKey: key('eisk_test_'), junit: junit('unknown') });
      expect(run).toMatchObject({ exitCode: 2, checks: [] });
      expect(run.error).toContain('a dry run gets 401');
    },
    RUN_MS,
  );
});

describe('npm run test:sandbox against production', () => {
  /** Runs the suite against a server that reports this environment and records its requests. */
  async function playAgainst(
    environment: string | null,
    apiKey: string,
  ): Promise<{ run: SuiteRun; asked: IncomingHttpHeaders[] }> {
    const asked: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers);
      if (environment !== null) response.setHeader('X-Environment', environment);
      request.resume().on('end', () => response.setHeader('X-Credits-Remaining', '1000').end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const run = await runSuite({ baseUrl: `http://127.0.0.1:${port}/api`, apiKey, junit: junit('production') });
    await new Promise((resolve) => server.close(resolve));
    return { run, asked };
  }

  it(
    'rejects a production key before the first request',
    async () => {
      const { run, asked } = await playAgainst('production', key('eisk_live_'));
      expect(run).toMatchObject({ exitCode: 2, checks: [] });
      expect(run.error).toContain('not a sandbox key');
      expect(asked).toEqual([]);
    },
    RUN_MS,
  );

  it.each([
    ['that reports production', 'production', 'X-Environment is "production"'],
    ['that does not report its environment', null, 'may be production'],
  ])(
    'sends only one dry run to a deployment %s',
    async (_, environment, message) => {
      const { run, asked } = await playAgainst(environment, key('eisk_test_'));
      expect(run).toMatchObject({ exitCode: 2, checks: [] });
      expect(run.error).toContain(message);
      expect(asked).toHaveLength(1);
      expect(asked[0]).not.toHaveProperty('idempotency-key');
    },
    RUN_MS,
  );
});
