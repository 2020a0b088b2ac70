import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { REPOSITORY } from '../support/program.js';

export const DEPLOY = path.join(REPOSITORY, 'deploy');

export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: Readonly<Record<string, { readonly ipv4_address?: string } | null>> | readonly string[];
  readonly ports?: readonly (string | { readonly published: number })[];
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes?: readonly string[];
}

interface ComposeNetwork {
  readonly ipam?: { readonly config: readonly { readonly subnet: string; readonly ip_range?: string }[] };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, ComposeNetwork | null>>;
}

/** Parses deploy/.env.example. */
export function readExample(): Map<string, string> {
  const text = readFileSync(path.join(DEPLOY, '.env.example'), 'utf8');
  return new Map([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

/** Lists the required settings of deploy/.env.example. */
export function readNeeded(): string[] {
  const text = readFileSync(path.join(DEPLOY, '.env.example'), 'utf8');
  const [, section = ''] = /^# --- Needed -+\n([^]*?)^# ---/m.exec(text) ?? [];
  return [...section.matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name);
}

/** Resolves compose files with `docker-compose config`. @throws Error with the message of docker-compose */
export function readCompose(
  values: Readonly<Record<string, string>>,
  files: readonly string[] = ['compose.yaml'],
): ComposeFile {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'compose-')), '.env');
  writeFileSync(
    file,
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const options = { cwd: DEPLOY, encoding: 'utf8' as const, env: { PATH: process.env.PATH } };
  const named = files.flatMap((name) => ['--file', name]);
  const config = spawnSync('docker-compose', ['--env-file', file, ...named, 'config'], options);
  if (config.status !== 0) throw new Error(config.stderr);
  const toJson = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';
  const json = spawnSync('python3', ['-c', toJson], { ...options, input: config.stdout });
  if (json.status !== 0) throw new Error(json.stderr);
  return JSON.parse(json.stdout) as ComposeFile;
}
