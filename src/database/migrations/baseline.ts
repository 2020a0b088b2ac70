import { readFileSync, readdirSync } from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const FOLDER = new URL('../functions/', import.meta.url);
const SQL = '.sql';

interface FunctionFile {
  readonly name: string;
  readonly text: string;
}

export function readFunctionFiles(): FunctionFile[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(SQL));
  return files.toSorted().map((file) => ({
    name: file.slice(0, -SQL.length),
    text: readFileSync(new URL(file, FOLDER), 'utf8'),
  }));
}

/**
 * Creates the schema. Until 1.0.0, a schema change edits baseline.sql and ../functions/ in place and gives this class a
 * new timestamp, so that the service refuses a database with the earlier schema.
 */
export class Baseline1795815000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readFileSync(new URL('baseline.sql', import.meta.url), 'utf8'));
    await runner.query('SET LOCAL check_function_bodies = off');
    for (const { text } of readFunctionFiles()) await runner.query(text);
  }

  /** Fails because no command may drop tax documents. */
  down(): Promise<void> {
    return Promise.reject(new Error('The baseline cannot be reverted'));
  }
}
