import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Closing } from '../../standalone/program.js';
import { Worker } from '../processes/worker.js';
import type { BuildTask, BuildTasks } from './build-worker.js';

/** A built checkout of the project. */
export interface Build {
  readonly name: 'current' | 'other' | 'floor';
  /** Path of its `dist` folder. */
  readonly dist: string;
}

export const CURRENT_BUILD: Build = {
  name: 'current',
  dist: fileURLToPath(new URL('../../', import.meta.url)),
};

const NEEDED = ['src/processes/api.js', 'src/processes/dispatcher.js', 'bench/main.js'] as const;

/** @throws Error that names the missing file */
export function openBuild(checkout: string): Build {
  const dist = path.resolve(checkout, 'dist');
  const missing = [
    ...NEEDED.filter((needed) => !existsSync(path.join(dist, needed))).map((needed) => `dist/${needed}`),
    ...(existsSync(path.join(checkout, 'node_modules')) ? [] : ['node_modules']),
  ];
  if (missing.length > 0) {
    throw new Error(
      `--against ${checkout} has no ${missing.join(', ')}: run "npm ci && npm run build" in a checkout of the project`,
    );
  }
  return { name: 'other', dist };
}

/** Allows for storing documents, which takes longest. */
const TASK_MS_MAX = 3_600_000;

/** Runs tasks with a build's own code on its own database. */
export type BuildClient = <Name extends keyof BuildTasks>(
  name: Name,
  ...options: Parameters<BuildTasks[Name]>
) => ReturnType<BuildTasks[Name]>;

export async function startBuildClient(closing: Closing, { dist }: Build): Promise<BuildClient> {
  const file = new URL('./build-worker.js', import.meta.url);
  const worker = await Worker.start<BuildTask, unknown>(closing, file, [dist]);
  return ((name: keyof BuildTasks, options: unknown) => worker.ask({ name, options }, TASK_MS_MAX)) as BuildClient;
}
