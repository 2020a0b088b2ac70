import { parseArgs } from 'node:util';
import { type SimulatorSettings, defaultSettings, settingNames } from './settings.js';
import { type SimulatorOptions, startSimulator } from './simulator.js';

const defaultPort = 4010;

const options: Record<string, { type: 'string' }> = Object.fromEntries(
  ['port', ...settingNames].map((name) => [toOption(name), { type: 'string' as const }]),
);

try {
  const simulator = await startSimulator(readOptions(process.argv.slice(2)));
  console.log(`MyInvois simulator on ${simulator.url} (in memory: its end deletes everything)`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void simulator.close());
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}

function readOptions(args: string[]): SimulatorOptions {
  const { values } = parseArgs({ args, options, strict: true, allowPositionals: false });
  const given = settingNames.filter((name) => values[toOption(name)] !== undefined);
  const settings = given.map((name) => [name, readValue(name, String(values[toOption(name)]))]);
  return {
    port: readPort(String(values.port ?? defaultPort)),
    settings: Object.fromEntries(settings) as Partial<SimulatorSettings>,
  };
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

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
    return `Port ${String(error.port)} is taken by another program; choose one with --port.`;
  }
  return error.message;
}
