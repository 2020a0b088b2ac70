import type { MigrationInterface } from 'typeorm';
import type { Extension } from './extensions.js';
import * as extensions from './extensions.js';

export const EXTENSIONS: readonly Extension[] = Object.values(extensions satisfies Record<string, Extension>);

export function listMigrations(of: readonly Extension[] = EXTENSIONS): (new () => MigrationInterface)[] {
  return of.flatMap(({ migrations = [] }) => migrations);
}
