import 'reflect-metadata';
import type { Problem } from '../errors/problem.js';
import {
  type Malformed,
  type PreparedSubmit,
  type PrepareOptions,
  prepareSubmit,
  judgeWithSupplier,
} from './prepare-submit.js';

// Entry points of the worker threads (submit-workers.ts). A transferred Buffer arrives as a Uint8Array.

export function prepare([bytes, options]: [Uint8Array, PrepareOptions]): PreparedSubmit | Malformed {
  return prepareSubmit(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), options);
}

export function judge(task: Parameters<typeof judgeWithSupplier>): readonly Problem[] {
  return judgeWithSupplier(...task);
}
