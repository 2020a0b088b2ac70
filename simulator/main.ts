#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { type SimulatorSettings, defaultSettings, settingNames, settingRules } from './settings.js';
import { type SimulatorOptions, startSimulator } from './simulator.js';

const defaultPort = 4010;

const ownOptions = {
  port: { type: 'string', means: `Port to listen on (${defaultPort}); 0 selects a free port` },
  host: {
    type: 'string',
    means: 'Address to listen on (127.0.0.1); an address that other machines can reach needs --control-token',
  },
  'control-token': {
    type: 'string',
    means: 'Token that control calls must send; SIMULATOR_CONTROL_TOKEN hides it from other users of this machine',
  },
  folder: { type: 'string', means: 'Folder that keeps the state between starts (in memory)' },
  help: { type: 'boolean', means: 'Prints this help' },
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
    const state = options.folder === undefined ? 'in memory, deleted on exit' : `kept in ${options.folder}`;
    console.log(`MyInvois simulator on ${simulator.url} (${state})`);
    console.log(`Received documents, calls and faults: ${simulator.url}/_control/`);
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

/** Returns a malformed number as text, so that the settings rules reject it with the setting's name. */
function readValue(name: keyof SimulatorSettings, text: string): unknown {
  const usual = defaultSettings[name];
  if (typeof usual === 'boolean' && ['true', 'false'].includes(text)) return text === 'true';
  return typeof usual === 'number' && text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** Converts `validationDelayMs` to `validation-delay-ms`. */
function toOption(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function listOptions(): string {
  const rows = Object.entries({ ...ownOptions, ...settingOptions });
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    "Simulates the tax authority's MyInvois API. Defaults are in parentheses.",
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
    return `Port ${String(error.port)} is in use by another program; choose another --port.`;
  }
  if ('code' in error && 'address' in error && error.code === 'EADDRNOTAVAIL') {
    return `This machine has no address ${String(error.address)}; choose another --host.`;
  }
  return error.message;
}
