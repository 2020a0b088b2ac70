import type { MigrationInterface, QueryRunner } from 'typeorm';
import { INITIAL_ACCOUNT_FUNCTIONS, INITIAL_ACCOUNTS } from './initial-accounts.js';
import { INITIAL_AUDIT } from './initial-audit.js';
import { INITIAL_CALLS } from './initial-calls.js';
import { INITIAL_FUNCTIONS } from './initial-functions.js';
import { INITIAL_SECURITY } from './initial-security.js';
import { INITIAL_TABLES } from './initial-tables.js';

export class Initial1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(INITIAL_TABLES);
    await runner.query(INITIAL_ACCOUNTS);
    await runner.query(INITIAL_SECURITY);
    await runner.query(INITIAL_FUNCTIONS);
    await runner.query(INITIAL_ACCOUNT_FUNCTIONS);
    await runner.query(INITIAL_CALLS);
    await runner.query(INITIAL_AUDIT);
  }

  /** There is nothing before the first schema, and tax documents are not dropped by a command. */
  down(): Promise<void> {
    return Promise.reject(new Error('The initial migration cannot be reverted'));
  }
}
