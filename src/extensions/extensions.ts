import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';

/** A module of the dispatcher, with the migrations that make its tables. */
export interface Extension extends Type {
  readonly migrations?: readonly (new () => MigrationInterface)[];
}

// The extensions of the dispatcher, one line each. docs/examples/extensions/ has two to copy.
