import { readFileSync, writeSync } from 'node:fs';

/** Loading the program opens many files and would otherwise fail with a misleading error. */
const OPEN_FILES_MIN = 256;

function readLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

const limit = readLimit();
if (limit < OPEN_FILES_MIN) {
  const message = `The limit of ${limit} open files is too low: raise it to 4096, for example with "ulimit -n 4096"`;
  writeSync(2, `${message}\n`);
  process.exit(1);
}
