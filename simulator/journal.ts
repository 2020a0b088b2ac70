import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Change } from './changes.js';
import { claimFolder } from './folder-claim.js';
import { parseStrictly } from './parse-json.js';
import { listChanges, restore } from './restore.js';
import type { World } from './world.js';

const header = JSON.stringify({ simulatorJournal: 1 });
// Beyond both, what was forgotten meanwhile is worth the seconds of writing everything again.
const rewriteBytesMin = 256_000_000;
const rewriteGrowth = 2;
const chunkCharacters = 4_000_000;

/** The simulator's memory cannot be written down: what is asked of it now would be lost. */
export class JournalError extends Error {}

/**
 * Keeps a world in a folder: a line for each call that changed anything, written before the call is answered. A process
 * that is killed has written it; only a machine that goes down can lose the last seconds, as nothing is forced to the
 * disk.
 */
export class Journal {
  private bytes = 0;
  private bytesWhenRewritten = 0;
  private descriptor: number;
  /** Lines that could not be written yet. */
  private unwritten = '';

  private constructor(
    private readonly file: string,
    private readonly world: World,
    private readonly release: () => void,
  ) {}

  /**
   * Makes the world what the folder holds, and notes what changes from then on.
   * @throws Error when another process has the folder, or what it holds cannot be read
   */
  static async open(folder: string, world: World): Promise<Journal> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const release = claimFolder(folder);
    try {
      const file = path.join(folder, 'journal.jsonl');
      if (existsSync(file)) await readJournal(file, world);
      const journal = new Journal(file, world, release);
      try {
        journal.rewrite();
      } catch (error) {
        throw unwritable(file, error);
      }
      journal.takeChanges = world.noteChanges();
      return journal;
    } catch (error) {
      release();
      throw error;
    }
  }

  private takeChanges: () => readonly Change[] = () => [];

  /** @throws JournalError when what has changed cannot be written; it is tried again with the next call */
  write(): void {
    const changes = this.takeChanges();
    if (changes.length > 0) this.unwritten += `${JSON.stringify(changes)}\n`;
    if (this.unwritten === '') return;
    try {
      this.bytes += append(this.descriptor, this.unwritten);
    } catch (error) {
      // Half a line would make the rest unreadable.
      ftruncateSync(this.descriptor, this.bytes);
      throw unwritable(this.file, error);
    }
    this.unwritten = '';
    if (this.bytes > rewriteBytesMin && this.bytes > rewriteGrowth * this.bytesWhenRewritten) this.compact();
  }

  close(): void {
    closeSync(this.descriptor);
    this.release();
  }

  /** Rewrites the file without outdated changes. Without disk space for a second file, continues in the first one. */
  private compact(): void {
    try {
      this.rewrite();
    } catch {
      this.bytesWhenRewritten = this.bytes;
    }
  }

  /** Writes the complete state to a new file, which replaces the old one once it is on disk. */
  private rewrite(): void {
    const draft = `${this.file}.new`;
    rmSync(draft, { force: true });
    const descriptor = openSync(draft, 'a', 0o600);
    let bytes = 0;
    let text = `${header}\n`;
    for (const change of listChanges(this.world)) {
      text += `${JSON.stringify([change])}\n`;
      if (text.length < chunkCharacters) continue;
      bytes += append(descriptor, text);
      text = '';
    }
    bytes += append(descriptor, text);
    fsyncSync(descriptor);
    renameSync(draft, this.file);
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = descriptor;
    this.bytes = bytes;
    this.bytesWhenRewritten = bytes;
  }
}

function unwritable(file: string, error: unknown): JournalError {
  return new JournalError(`The simulator cannot write to ${file}: ${getErrorMessage(error)}`, { cause: error });
}

async function readJournal(file: string, world: World): Promise<void> {
  const lines = createInterface({ input: createReadStream(file, { encoding: 'utf8' }), crlfDelay: Infinity });
  let number = 0;
  let waiting: string | null = null;
  for await (const line of lines) {
    if (waiting !== null) readLine({ file, number, line: waiting }, world);
    number += 1;
    waiting = line;
  }
  // Its writer was killed in the middle of it, before it answered.
  if (waiting !== null && (await endsWithLine(file))) readLine({ file, number, line: waiting }, world);
}

function readLine({ file, number, line }: { file: string; number: number; line: string }, world: World): void {
  if (number === 1 && line === header) return;
  try {
    if (number === 1) throw new Error('it is of another version');
    for (const change of parseStrictly(line) as Change[]) restore(world, change);
  } catch (error) {
    throw new Error(
      `The simulator cannot read what it kept, line ${number} of ${file} (${getErrorMessage(error)}). To begin with an authority ` +
        'that knows no document, move that file away',
      { cause: error },
    );
  }
}

async function endsWithLine(file: string): Promise<boolean> {
  const { size } = statSync(file);
  let last = '';
  for await (const chunk of createReadStream(file, { encoding: 'latin1', start: Math.max(0, size - 1) }))
    last = String(chunk);
  return last === '\n';
}

/** @returns how many bytes were written: all of them */
function append(descriptor: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
  return bytes.length;
}

function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
