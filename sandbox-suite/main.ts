import path from 'node:path';
import { startVitest, type TestCase, type Vitest } from 'vitest/node';
import { Client, readNumber } from './client.js';
import { countCredits } from './credits.js';
import { asEnvelope, consolidatedInvoice } from './documents.js';
import { readSettings, RefusedRun, type Settings } from './options.js';

/** @returns the exit code: 0 if all checks passed, 1 if a check failed or none ran, 2 if the run was refused */
export async function main(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    const settings = readSettings(words, environment);
    await announce(settings);
    return await run(settings);
  } catch (error) {
    if (!(error instanceof RefusedRun)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

/** Prints the plan of the run. @throws RefusedRun if a key is unusable or the credits do not suffice */
async function announce(settings: Settings): Promise<void> {
  const { baseUrl, apiKey, secondKey, authority } = settings;
  const credits = countCredits(settings);
  print(`Service    ${baseUrl}, ${authority === 'real' ? "the authority's own sandbox" : "the authority's simulator"}`);
  print(`Numbers    ${settings.run}-…`);
  print(
    `Credits    ${credits.first} of the first organisation, ${credits.second} of the second; 1 for each document or cancellation`,
  );
  const remaining = await assertUsable(settings, '--api-key', apiKey);
  if (remaining < credits.first) {
    throw new RefusedRun(`The organisation of --api-key has ${remaining} credits; the run needs ${credits.first}`);
  }
  if (secondKey !== null) {
    const left = await assertUsable(settings, '--second-key', secondKey);
    if (left < credits.second) {
      throw new RefusedRun(`The organisation of --second-key has ${left} credits; the run needs ${credits.second}`);
    }
  }
}

/** Checks a key with a dry run, which is free of charge. @returns the remaining credits of its organisation */
async function assertUsable({ baseUrl, run }: Settings, option: string, apiKey: string): Promise<number> {
  const client = new Client(baseUrl, apiKey);
  const path = '/v1/einvoice/submit/dry-run';
  const headers = { 'Content-Type': 'application/json' };
  const request = {
    method: 'POST',
    path,
    headers,
    body: asEnvelope([consolidatedInvoice(run)], 'consolidated'),
    isDescribed: false,
  };
  const response = await client.call(request).catch((error: unknown) => {
    if (error instanceof RefusedRun) throw error;
    throw new RefusedRun(`${baseUrl} does not respond: ${describeFailure(error)}`);
  });
  if (response.status !== 200) {
    throw new RefusedRun(`${option}: a dry run gets ${response.status}: ${response.body.message ?? response.text}`);
  }
  if (response.headers.get('x-environment') === null) {
    throw new RefusedRun(`${option}: the response has no X-Environment, so this may be production`);
  }
  return readNumber(response.headers, 'x-credits-remaining');
}

function describeFailure(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

async function run(settings: Settings): Promise<number> {
  const vitest = await startVitest('test', [], {
    config: path.join(import.meta.dirname, 'vitest.config.ts'),
    watch: false,
    provide: { settings },
    reporters: ['tree', 'junit'],
    outputFile: { junit: path.resolve(settings.junit) },
    ...(settings.only === null ? {} : chooseOnly(settings.only)),
  });
  const hasFailed = process.exitCode === 1;
  const played = report(vitest, settings);
  await vitest.close();
  return hasFailed || played === 0 ? 1 : 0;
}

function chooseOnly(text: string): object {
  return { testNamePattern: text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'), hideSkippedTests: true };
}

/** Prints the summary. @returns the number of checks that ran */
function report(vitest: Vitest, { junit, only }: Settings): number {
  const checks = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
  const count = (state: string): number => checks.filter((check) => check.result().state === state).length;
  const skipped = checks.filter((check) => check.result().state === 'skipped');
  print(`\n${count('passed')} checks held, ${count('failed')} did not, ${skipped.length} were skipped`);
  // With --only, nearly all checks are skipped, so they are not listed.
  if (only === null) for (const check of skipped) print(`  ${check.fullName}${formatNote(check)}`);
  print(`JUnit report: ${path.resolve(junit)}`);
  const played = checks.length - skipped.length;
  if (played === 0)
    print(
      `No check ran: ${only === null ? 'every check was skipped' : `no check that can be played here has "${only}" in its title`}`,
    );
  return played;
}

function formatNote(check: TestCase): string {
  const result = check.result();
  return result.state === 'skipped' && result.note !== undefined ? ` (${result.note})` : '';
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

declare module 'vitest' {
  interface ProvidedContext {
    settings: Settings;
  }
}
