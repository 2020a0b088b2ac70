import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';

/** A dispatcher module with the migrations that create its tables. */
export interface Extension extends Type {
  readonly migrations?: readonly (new () => MigrationInterface)[];
}

// Export each extension of the dispatcher here. docs/examples/extensions/ contains two examples.
