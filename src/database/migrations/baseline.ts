import { readFileSync } from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readFunctionFiles } from '../function-files.js';

/**
 * Creates the schema: baseline.sql and the functions of ../functions/. Until 1.0.0, a schema change edits them in place
 * and gives this class a new timestamp, so that the service refuses a database with the earlier schema.
 */
export class Baseline1795801000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readFileSync(new URL('baseline.sql', import.meta.url), 'utf8'));
    // A function may call one that is created after it.
    await runner.query('SET LOCAL check_function_bodies = off');
    for (const { text } of readFunctionFiles()) await runner.query(text);
  }

  /** No command drops tax documents. */
  down(): Promise<void> {
    return Promise.reject(new Error('The baseline cannot be reverted'));
  }
}
