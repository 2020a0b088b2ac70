import type { MigrationInterface } from 'typeorm';
import type { Extension } from './extensions.js';
import * as extensions from './extensions.js';

/** What src/extensions/extensions.ts exports. */
export const EXTENSIONS: readonly Extension[] = Object.values(extensions satisfies Record<string, Extension>);

export function listMigrations(of: readonly Extension[] = EXTENSIONS): (new () => MigrationInterface)[] {
  return of.flatMap(({ migrations = [] }) => migrations);
}
