import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import * as extensions from './extensions.js';

/** A module of the dispatcher, with the migrations that make its tables. */
export interface Extension extends Type {
  readonly migrations?: readonly (new () => MigrationInterface)[];
}

/** What src/extensions/extensions.ts exports. */
export const EXTENSIONS: readonly Extension[] = Object.values(extensions satisfies Record<string, Extension>);

export function listMigrations(of: readonly Extension[] = EXTENSIONS): (new () => MigrationInterface)[] {
  return of.flatMap(({ migrations = [] }) => migrations);
}
