#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { type SimulatorSettings, defaultSettings, settingNames, settingRules } from './settings.js';
import { type SimulatorOptions, startSimulator } from './simulator.js';

const defaultPort = 4010;

const ownOptions = {
  port: { type: 'string', means: `Where it listens (${defaultPort}); 0 takes a free port` },
  host: { type: 'string', means: 'The address it listens on (127.0.0.1); any other needs --control-token' },
  'control-token': {
    type: 'string',
    means: 'What control calls must carry; SIMULATOR_CONTROL_TOKEN is the same, unseen by others of this machine',
  },
  folder: { type: 'string', means: 'Keeps its state there, for the next start; in memory otherwise' },
  help: { type: 'boolean', means: 'Prints this' },
} as const;

const settingOptions: Record<string, { type: 'string'; means: string }> = Object.fromEntries(
  settingNames.map((name) => {
    const means = `${settingRules[name].means} (${String(defaultSettings[name])})`.replaceAll('`', '');
    return [toOption(name), { type: 'string' as const, means }];
  }),
);

const { values } = readArguments();
if (values?.help === true) console.log(listOptions());
else if (values) await start(values);

interface Values {
  help?: boolean;
  [option: string]: string | boolean | undefined;
}

async function start(given: Values): Promise<void> {
  try {
    const options = readOptions(given);
    const simulator = await startSimulator(options);
    const state = options.folder === undefined ? 'in memory: its end deletes everything' : `kept in ${options.folder}`;
    console.log(`MyInvois simulator on ${simulator.url} (${state})`);
    console.log(`What it received, and faults: ${simulator.url}/_control/`);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void simulator.close());
  } catch (error) {
    fail(error);
  }
}

function readArguments(): { values?: Values } {
  try {
    return parseArgs({ options: { ...ownOptions, ...settingOptions }, strict: true, allowPositionals: false });
  } catch (error) {
    fail(error);
    return {};
  }
}

function readOptions(values: Values): SimulatorOptions {
  const given = settingNames.filter((name) => values[toOption(name)] !== undefined);
  const settings = given.map((name) => [name, readValue(name, String(values[toOption(name)]))]);
  return {
    port: readPort(String(values.port ?? defaultPort)),
    host: readText(values.host),
    controlToken: readText(values['control-token']) ?? (process.env.SIMULATOR_CONTROL_TOKEN || undefined),
    folder: readText(values.folder),
    settings: Object.fromEntries(settings) as Partial<SimulatorSettings>,
  };
}

function readText(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port must be a number from 0 to 65535, not "${text}".`);
  }
  return port;
}

/** A text that is no number stays a text, which the rules of the settings then refuse by name. */
function readValue(name: keyof SimulatorSettings, text: string): unknown {
  const usual = defaultSettings[name];
  if (typeof usual === 'boolean' && ['true', 'false'].includes(text)) return text === 'true';
  return typeof usual === 'number' && text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** `validationDelayMs` is `--validation-delay-ms`. */
function toOption(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function listOptions(): string {
  const rows = Object.entries({ ...ownOptions, ...settingOptions });
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    "Stands in for the tax authority's MyInvois API. In brackets the default.",
    '',
    ...rows.map(([name, { means }]) => `  --${name.padEnd(width)}  ${means}`),
  ].join('\n');
}

function fail(error: unknown): void {
  console.error(describeError(error));
  process.exitCode = 1;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && 'port' in error && error.code === 'EADDRINUSE') {
    return `Port ${String(error.port)} is taken by another program; choose one with --port.`;
  }
  if ('code' in error && 'address' in error && error.code === 'EADDRNOTAVAIL') {
    return `This machine has no address ${String(error.address)}; choose another --host.`;
  }
  return error.message;
}
