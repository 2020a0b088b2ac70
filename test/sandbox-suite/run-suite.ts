import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { REPOSITORY, startProgram } from '../support/program.js';

interface SuiteOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly secondKey?: string;
  /** Path of the JUnit report. */
  readonly junit: string;
  readonly words?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
}

interface CheckResult {
  /** Titles of its groups and of the check, separated by spaces. */
  readonly title: string;
  readonly hasFailed: boolean;
  readonly isSkipped: boolean;
}

export interface SuiteRun {
  readonly exitCode: number | null;
  readonly out: string;
  readonly error: string;
  /** Checks of the JUnit report. Empty if the run was rejected. */
  readonly checks: readonly CheckResult[];
}

const LONGER_THAN_ANY_RUN_MS = 420_000;

/** Runs the sandbox suite as a process that only gets a URL and keys. */
export async function runSuite({
  baseUrl,
  apiKey,
  secondKey,
  junit,
  words = [],
  environment,
}: SuiteOptions): Promise<SuiteRun> {
  const command = [path.join(REPOSITORY, 'sandbox-suite/run.mjs'), ...words];
  const program = startProgram(command, {
    ...environment,
    EINVOICE_BASE_URL: baseUrl,
    EINVOICE_API_KEY: apiKey,
    EINVOICE_SECOND_KEY: secondKey,
    EINVOICE_JUNIT: junit,
    NO_COLOR: '1',
  });
  const timer = setTimeout(() => program.kill('SIGKILL'), LONGER_THAN_ANY_RUN_MS);
  const { exitCode } = await program.ended;
  clearTimeout(timer);
  const report = await readFile(junit, 'utf8').catch(() => '');
  return { exitCode, out: program.out, error: program.error, checks: parseReport(report) };
}

function parseReport(text: string): CheckResult[] {
  const cases = [...text.matchAll(/<testcase [^>]*?\sname="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)];
  return cases.map(([, name, content = '']) => ({
    title: decode(name).replaceAll(' > ', ' '),
    hasFailed: /<(?:failure|error)\b/.test(content),
    isSkipped: /<skipped\b/.test(content),
  }));
}

function decode(text: string): string {
  const characters: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' };
  return text.replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => characters[entity]);
}
