import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Inject } from '@nestjs/common';
import { Command } from 'nest-commander';
import type { DataSource } from 'typeorm';
import { type Configuration, DATABASE_SETTING_BY_ROLE } from '../config/configuration.js';
import { createDataSource } from '../database/data-source.js';
import { OperatorError } from '../errors/operator-error.js';
import { computeSha256 } from '../evidence/manifest.js';
import { createZip, type ZipEntry } from '../evidence/zip.js';
import { ReportedCommand } from './operator-command.js';
import type { Report } from './output.js';
import { checkSettings } from './doctor/settings-findings.js';
import { type CommandContext, COMMAND_CONTEXT } from './command-context.js';
import { describeProblem, Incomplete, type Part, PARTS, type Sources } from './support-bundle/parts.js';
import { createScrubber } from './support-bundle/redact.js';

const ONLY_OWNER = 0o600;
const METRICS_MAX = 20;

interface File {
  readonly path: string;
  readonly what: string;
  readonly content: Buffer;
  /** Why it could not be read; null when it was. */
  readonly problem: string | null;
}

/** Reads only, writes no audit entry, and works without a database: it is for when something is wrong. */
@Command({
  name: 'support-bundle',
  description:
    'one file for the person who helps you: the state of the deployment, without secrets and data of organisations',
})
export class SupportBundleCommand extends ReportedCommand {
  protected readonly options = [
    { flag: '--file', value: 'path', description: 'of the new ZIP; support-bundle-TIME.zip here unless given' },
    { flag: '--log', value: 'path', description: 'of a log of the service: its last 2,000 lines' },
    { flag: '--metrics', value: 'addresses', description: 'HOST:PORT of metrics pages, separated by commas' },
  ];

  constructor(@Inject(COMMAND_CONTEXT) private readonly context: CommandContext) {
    super();
  }

  protected async execute({ file, log, metrics }: Readonly<Record<string, string | undefined>>): Promise<Report> {
    const target = path.resolve(file ?? `support-bundle-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.zip`);
    const { environment } = this.context;
    const opened: DataSource[] = [];
    const sources: Sources = {
      context: this.context,
      database: once(() => this.openDatabase(opened)),
      logFile: log ?? this.context.logFile,
      metrics: metrics === undefined ? [toOwnPage(environment)] : parseAddresses(metrics),
      isMetricsWanted: metrics !== undefined,
    };
    const files: File[] = [];
    try {
      const scrub = createScrubber(environment);
      for (const part of PARTS) files.push(await readPart(part, sources, scrub));
    } finally {
      for (const dataSource of opened) await dataSource.destroy();
    }
    await writeBundle(target, files);
    const problems = files.flatMap(({ path: name, problem }) => (problem === null ? [] : [{ name, problem }]));
    const reasons = [...new Set(problems.map(({ problem }) => problem))];
    // One reason, such as no database, is said once.
    const missing = reasons.map((reason) => {
      const names = problems.filter(({ problem }) => problem === reason).map(({ name }) => name);
      return `\n  ${names.join(', ')}: ${reason}`;
    });
    return {
      json: { file: target, files: files.map(({ path: name }) => name), problems },
      text: `${target}: ${files.length} files, and manifest.json says what each is.${missing.join('')}`,
    };
  }

  private async openDatabase(opened: DataSource[]): Promise<DataSource> {
    const { configuration, wrong } = checkSettings(this.context);
    const setting = DATABASE_SETTING_BY_ROLE.operator;
    if (this.context.problem !== null) throw new Error(this.context.problem);
    if (wrong.has(setting)) throw new Error(`${setting} is wrong`);
    const dataSource = createOwnDataSource(configuration);
    await dataSource.initialize();
    opened.push(dataSource);
    return dataSource;
  }
}

function createOwnDataSource({
  databaseUrl: url,
  databasePreparedStatements: preparesStatements,
}: Configuration): DataSource {
  return createDataSource({ url, poolSize: 1, applicationName: 'einvoice-cli', preparesStatements });
}

/** The same result, or error, for every call. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function toOwnPage({ METRICS_HOST, METRICS_PORT }: NodeJS.ProcessEnv): URL {
  const host = METRICS_HOST?.trim() || '127.0.0.1';
  const url = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${METRICS_PORT?.trim() || '9464'}`;
  return new URL(URL.canParse(url) ? url : 'http://127.0.0.1:9464');
}

function parseAddresses(text: string): URL[] {
  const addresses = text.split(',').map((address) => address.trim());
  const wrong = addresses.find((address) => !/^(?:[\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i.test(address));
  if (wrong !== undefined || addresses.length > METRICS_MAX) {
    throw new OperatorError(`--metrics must be up to ${METRICS_MAX} of HOST:PORT, separated by commas, not "${text}"`);
  }
  return addresses.map((address) => new URL(`http://${address}`));
}

async function readPart({ path: name, what, read }: Part, sources: Sources, scrub: Scrub): Promise<File> {
  const toFile = (text: string, problem: string | null): File => {
    return { path: name, what, content: Buffer.from(scrub(text), 'utf8'), problem };
  };
  try {
    const result = await read(sources);
    const { content, problem } = result instanceof Incomplete ? result : { content: result, problem: null };
    return toFile(typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`, problem);
  } catch (error) {
    const problem = scrub(describeProblem(error));
    return toFile(`${JSON.stringify({ problem: `not read: ${problem}` })}\n`, problem);
  }
}

type Scrub = (text: string) => string;

/** @throws OperatorError if the file exists or cannot be written; nothing is left of it then */
async function writeBundle(target: string, files: readonly File[]): Promise<void> {
  const handle = await open(target, 'wx', ONLY_OWNER).catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EEXIST' ? 'exists already, and is not overwritten' : `cannot be written: ${error.code}`;
    throw new OperatorError(`${target} ${reason}; give another --file`);
  });
  try {
    await pipeline(createZip(listEntries(files)), handle.createWriteStream());
  } catch (error) {
    await rm(target, { force: true });
    throw new OperatorError(`${target} cannot be written: ${describeProblem(error)}`);
  }
}

async function* listEntries(files: readonly File[]): AsyncIterable<ZipEntry> {
  const manifest = {
    what: 'State of an e-invoice service, for the person who helps its operator. No secrets, no documents, no names.',
    leftOut: 'The sign … stands for what was left out.',
    files: files.map(({ path: name, what, content, problem }) => {
      return { path: name, what, bytes: content.length, sha256: computeSha256(content), problem };
    }),
  };
  yield { path: 'manifest.json', content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`, 'utf8') };
  for (const { path: name, content } of files) yield await Promise.resolve({ path: name, content });
}
